/** Installs an add-on: resolve, stage, verify, publish, record. It starts disabled (06:253-291). */
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { findInstalled } from '../../projections/installed.js';
import { installationKind } from '../../projections/kinds/installation.js';
import { dataDirectory, holdsData } from './data-directory.js';
import { type Selection, selection, stageAndPublish } from './staging.js';
import type { LifecycleParts, Order, Prepared, UseCase } from './use-case.js';

/** An owner runs dozens of add-ons, not thousands; the bound keeps lists and replays finite. */
const MOST_ADDONS = 256;

async function admit(parts: LifecycleParts, order: Order<Selection>): Promise<Either<Refusal, void>> {
  const { ahead } = parts.context.store;
  if (findInstalled(ahead, order.addonId) !== undefined)
    return left(refuse('denied', 'The add-on is already installed. Nothing changed. Upgrade it instead.'));
  if (!ahead.all(installationKind).has(order.addonId) && ahead.all(installationKind).size >= MOST_ADDONS)
    return left(refuse('quota_reached', `This server holds ${MOST_ADDONS} add-ons already.`, { code: 'addons' }));
  return right(undefined);
}

async function prepare(parts: LifecycleParts, order: Order<Selection>): Promise<Either<Refusal, Prepared>> {
  // What an uninstall retained belongs to whoever it was trusted to then (decisions on the design, 7).
  const dataRetained = await holdsData(dataDirectory(parts.context.dataRoot, order.addonId));
  const published = await stageAndPublish(parts, order, { purpose: 'install', dataRetained });
  if (isLeft(published)) return published;
  const { generation, change } = published.right;
  return right({ generation: generation.generation, changes: [change] });
}

export const install: UseCase<Selection> = { arguments: selection, admit, prepare };
