/** The sources that ship with the product: what a first start registers, and what an upgrade moves (04:1-30, 133-146, 386-396). */
import type { KnownSource, SourceSettings } from '../../aggregates/source.js';
import { PACKAGE_WORKFLOW, SIGNER_ISSUER } from '../../contract/package-signer.js';

export interface ShippedSource extends SourceSettings {
  readonly id: string;
  readonly kind: KnownSource['kind'];
  /** Of the sources of one kind only the one this build reads is on at first (04:134-136). */
  readonly enabled: boolean;
  /** Where this process serves it itself; the address moves with every start, so `url` is `SERVED` then. */
  readonly servedAt?: string;
}

/** Stands in the journal for the address of the library that the process serves itself. */
export const SERVED = 'shipped';

/** The served library is read over loopback by being built in (wire, "Sources"). */
export const SERVED_POLICY = { requireSignature: false, allowLoopbackHTTP: true } as const;

const REPOSITORY = 'mudler/LocalAI';
const MASTER = `https://raw.githubusercontent.com/${REPOSITORY}/master`;
const WORKFLOWS = `https://github.com/${REPOSITORY}/.github/workflows`;
const RELEASE_INDEX = new RegExp(
  `^https://github\\.com/${REPOSITORY}/releases/download/v[0-9A-Za-z.+-]{1,64}/addons-index\\.yaml$`,
);

/** A tag that makes a release build (04:11-16). */
const RELEASE_TAG = /^v(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z.-]{1,32})?$/;

/** True for an address that a build chose; one that an administrator chose never moves (04:25-27). */
export const isShippedAddress = (url: string): boolean =>
  url === SERVED || url === `${MASTER}/gallery/addons/index.yaml` || RELEASE_INDEX.test(url);

/**
 * The official library of a build. A release reads the index of its own tag, signed by the workflow run of that tag and by no
 * other; every other build reads the library it was built with, which it serves itself at `servedAt`. Undefined when there is none.
 */
export function officialLibrary(tag: string | undefined, servedAt: string | undefined): ShippedSource | undefined {
  const common = { id: 'official', kind: 'addon', format: 'library', enabled: true } as const;
  if (tag !== undefined && RELEASE_TAG.test(tag))
    return {
      ...common,
      name: 'Official library',
      url: `https://github.com/${REPOSITORY}/releases/download/${tag}/addons-index.yaml`,
      policy: {
        requireSignature: true,
        issuer: SIGNER_ISSUER,
        identity: `https://github.com/${REPOSITORY}/${PACKAGE_WORKFLOW}@refs/tags/${tag}`,
      },
    };
  if (servedAt === undefined) return undefined;
  return { ...common, name: 'Built-in library', url: SERVED, policy: SERVED_POLICY, servedAt };
}

const UNSIGNED = { requireSignature: false } as const;

/** The defaults of the other kinds; nothing reads them unasked, so a fresh server sends nothing to the network. */
export const FURTHER_DEFAULTS: readonly ShippedSource[] = [
  {
    id: 'official-backends',
    kind: 'backend',
    name: 'Backend library',
    url: `${MASTER}/gallery/backends/index.yaml`,
    format: 'library',
    enabled: true,
    policy: {
      requireSignature: true,
      issuer: SIGNER_ISSUER,
      identityRegex: `^${WORKFLOWS.replaceAll('.', '\\.')}/backend_merge\\.yml@refs/(heads/master|tags/.+)$`,
    },
  },
  {
    id: 'localai-backends',
    kind: 'backend',
    name: 'Backend gallery',
    url: `${MASTER}/backend/index.yaml`,
    format: 'gallery',
    enabled: false,
    policy: UNSIGNED,
  },
  {
    id: 'official-models',
    kind: 'model',
    name: 'Model library',
    url: `${MASTER}/gallery/models/index.yaml`,
    format: 'library',
    enabled: true,
    policy: UNSIGNED,
  },
  {
    id: 'localai',
    kind: 'model',
    name: 'Model gallery',
    url: `${MASTER}/gallery/index.yaml`,
    format: 'gallery',
    enabled: false,
    policy: UNSIGNED,
  },
];
