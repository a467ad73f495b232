/**
 * Enable, disable and uninstall: each changes what is desired and nothing else, durably, and the process follows
 * (06:262-264, 279-281; 12:57-60). A start that fails leaves the intent; a stop drains; data is always kept.
 */
import { closed, type Either, left, right } from '../../contract/fp.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { findInstalled } from '../../projections/installed.js';
import type { LifecycleParts, Order, Prepared, UseCase } from './use-case.js';

export type NoArguments = Readonly<Record<never, never>>;

export const notInstalled = refuse('not_found', 'The add-on is not installed. Nothing changed.');

const noArguments = closed('arguments', {});

async function admit(parts: LifecycleParts, order: Order<NoArguments>): Promise<Either<Refusal, void>> {
  return findInstalled(parts.context.store.ahead, order.addonId) === undefined ? left(notInstalled) : right(undefined);
}

async function prepare(parts: LifecycleParts, order: Order<NoArguments>): Promise<Either<Refusal, Prepared>> {
  const installed = findInstalled(parts.context.store.visible, order.addonId);
  return installed === undefined ? left(notInstalled) : right({ generation: installed.generation, changes: [] });
}

const switching: UseCase<NoArguments> = { arguments: noArguments, admit, prepare };

export const enable = switching;
export const disable = switching;
export const uninstall = switching;
