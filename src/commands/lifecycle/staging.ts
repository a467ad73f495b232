/** From a catalog selection to a published package: the shared part of install and upgrade (06:131-216). */
import type { Generation } from '../../aggregates/installation.js';
import { type Either, isLeft, left, right, t } from '../../contract/fp.js';
import { hostOpsRefusal } from '../../contract/host-op-admission.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import { installationKind } from '../../projections/kinds/installation.js';
import type { StagedPackage } from '../ports.js';
import type { Change } from '../store.js';
import type { LifecycleParts, Order } from './use-case.js';

export interface Selection {
  readonly sourceId: string;
  readonly version?: string;
  readonly channel?: string;
}

const label = new t.Type<string>(
  'label',
  (input): input is string => typeof input === 'string' && input.length >= 1 && input.length <= 128,
  (input, context) =>
    typeof input === 'string' && input.length >= 1 && input.length <= 128
      ? t.success(input)
      : t.failure(input, context),
  (value) => value,
);

const byVersion = t.type({ sourceId: label, version: label });
const byChannel = t.type({ sourceId: label, channel: label });

/** `{"sourceId", "version"}` or `{"sourceId", "channel"}` and nothing else (wire, "Routes"). */
export const selection: t.Type<Selection> = new t.Type<Selection>(
  'selection',
  (input): input is Selection => {
    if (typeof input !== 'object' || input === null || Object.keys(input).length !== 2) return false;
    return byVersion.is(input) || byChannel.is(input);
  },
  (input, context) => (selection.is(input) ? t.success(input) : t.failure(input, context)),
  (value) => value,
);

export interface Published {
  readonly generation: Generation;
  readonly change: Change;
}

/**
 * Resolves, stages, verifies and publishes one package, and decides the event that records it. The trusted identity
 * is compared before anything is published. A failure leaves no stage behind.
 */
export async function stageAndPublish(
  parts: LifecycleParts,
  order: Order<Selection>,
  rule: { readonly purpose: 'install' | 'upgrade'; readonly dataRetained: boolean },
): Promise<Either<Refusal, Published>> {
  const { context, library, progress, stopping } = parts;
  const { operationId, addonId } = order;
  const resolved = await library.resolve({ ...order.arguments, addonId }, stopping);
  if (isLeft(resolved)) return resolved;
  const { release, policy, sourceIdentity } = resolved.right;
  const staged = await context.packages.stage(release, policy, {
    signal: stopping,
    onProgress: (step) => progress.set(operationId, step),
  });
  if (isLeft(staged)) return staged;
  const described = describe(staged.right, addonId, sourceIdentity);
  const decide = (directory: string) =>
    context.store.decide(installationKind, addonId, { type: 'publish', ...rule, package: { ...described, directory } });
  const allowed = decide('not-yet-published');
  if (isLeft(allowed)) return discard(parts, staged.right, allowed.left);
  const lacking = hostOpsRefusal({ raw: staged.right.receipt.manifest }, context.hostOps(addonId));
  if (lacking !== undefined) return discard(parts, staged.right, notGranted(lacking));
  progress.set(operationId, { phase: 'publishing' });
  const published = await context.packages.publish(staged.right);
  if (isLeft(published)) return discard(parts, staged.right, published.left);
  const change = decide(published.right.directory);
  if (isLeft(change)) return change;
  const [event] = change.right.events;
  return right({ generation: event?.payload as Generation, change: change.right });
}

async function discard(parts: LifecycleParts, staged: StagedPackage, why: Refusal): Promise<Either<Refusal, never>> {
  await parts.context.packages.discard(staged);
  return left(why);
}

function describe(
  staged: StagedPackage,
  addonId: string,
  sourceIdentity: string,
): Omit<Generation, 'generation' | 'directory'> {
  const { receipt } = staged;
  if (receipt.addonId !== addonId) throw new Error(`the stage of ${addonId} holds another add-on`);
  const { version, sourceId, channel, selection: chosen, artifact, digest, verification, os, arch } = receipt;
  const { manifestDigest, manifest, signer } = receipt;
  return {
    version,
    sourceId,
    sourceIdentity,
    channel,
    selection: chosen,
    artifact,
    digest,
    verification,
    os,
    arch,
    manifestDigest,
    manifest: JSON.stringify(manifest),
    ...(signer === undefined ? {} : { signer }),
  };
}

const notGranted = (why: string): Refusal =>
  refuse(
    'not_permitted',
    `The add-on was not installed: ${why}. Nothing changed. Grant them with --addon-host-ops or --addon-host-policy, restart the server and try again.`,
    { code: 'host_operations' },
  );

export const refusedRequest = (why: string): Refusal => refuse('denied', `Addon request denied: ${why}`);
