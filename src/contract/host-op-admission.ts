/** Whether the host operations an add-on asks for are supported and granted (02:272-278; 07:135-176). Pure: policy comes in. */
import type { HostOpsView } from './api.js';
import type { JsonObject } from './json.js';
import type { Manifest } from './manifest-types.js';
import { isObject } from './shape.js';

/** What the host decided once, at its start. */
export interface HostOpPolicy {
  /** Exact names the host lists in its code; anything else is unsupported, whatever is granted. */
  readonly vocabulary: ReadonlySet<string>;
  /** Literal prefixes granted to this add-on by the administrator. */
  readonly grants: readonly string[];
}

export interface HostOpAdmission {
  /** False for a manifest that asks for nothing: it keeps what is configured, which is neither none nor all. */
  readonly specified: boolean;
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Requested names that are supported and covered by a grant. */
  readonly granted: readonly string[];
  readonly missing: readonly string[];
  /** False when a required operation is missing: the package is not published, the installed one not launched. */
  readonly admitted: boolean;
}

/** A grant covers a name by being a nonempty literal prefix of it (07:143-145). */
export const covers = (grants: readonly string[], operation: string): boolean =>
  grants.some((prefix) => prefix !== '' && operation.startsWith(prefix));

/** Whether one call may be made at all: listed by the host and covered by a grant. A request in a manifest adds nothing. */
export const mayCall = (policy: HostOpPolicy, operation: string): boolean =>
  policy.vocabulary.has(operation) && covers(policy.grants, operation);

/** Reads the `capabilities` of a manifest that the parser took. */
export function admitHostOps(manifest: Pick<Manifest, 'raw'>, policy: HostOpPolicy): HostOpAdmission {
  const { hostOperations } = (manifest.raw.capabilities ?? {}) as JsonObject;
  const asked = isObject(hostOperations) ? hostOperations : {};
  const required = (asked.required ?? []) as readonly string[];
  const optional = (asked.optional ?? []) as readonly string[];
  const all = [...required, ...optional];
  return {
    specified: isObject(hostOperations),
    required,
    optional,
    granted: all.filter((name) => mayCall(policy, name)),
    missing: all.filter((name) => !mayCall(policy, name)),
    admitted: required.every((name) => mayCall(policy, name)),
  };
}

/** Nothing for a manifest that asks for nothing. The lists are as bounded as the manifest's. */
export function hostOpsView(manifest: Pick<Manifest, 'raw'>, policy: HostOpPolicy): HostOpsView | undefined {
  const { specified, required, optional, granted, missing } = admitHostOps(manifest, policy);
  const counts = {
    required: required.length,
    optional: optional.length,
    granted: granted.length,
    missing: missing.length,
  };
  return specified ? { required, optional, granted, missing, counts } : undefined;
}

/** Why a manifest is not admitted, for administrators; nothing when it is. */
export function hostOpsRefusal(manifest: Pick<Manifest, 'raw'>, policy: HostOpPolicy): string | undefined {
  const { admitted, required, missing } = admitHostOps(manifest, policy);
  if (admitted) return undefined;
  const absent = missing.filter((name) => required.includes(name));
  return `it needs host operations that this server does not grant it: ${absent.join(', ')}`;
}
