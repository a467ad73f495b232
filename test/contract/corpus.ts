/**
 * The corpus: manifests and messages, each valid or wrong for exactly one reason, with the verdict that is expected.
 * Groups register themselves when their file is imported; `corpus.test.ts` judges them.
 */
import type { Json, JsonObject } from '../../src/contract/json.js';
import { change, VALID } from '../support/manifests.js';
import { ENVELOPE, PREVIEW, RECEIPT, REGISTRATION, RESULT } from '../support/messages.js';

/** Values by path; undefined removes what stands there. */
export type Changes = Readonly<Record<string, Json | undefined>>;

export interface ManifestCase {
  readonly kind: 'manifest';
  readonly text: string;
  /** `path rule` of the one problem; undefined when the manifest is valid. */
  readonly problem: string | undefined;
}

export interface MessageCase {
  readonly kind: keyof typeof MESSAGES;
  readonly text: string;
  readonly valid: boolean;
}

export type Case = ManifestCase | MessageCase;

export interface Group {
  readonly title: string;
  readonly cases: readonly Case[];
}

export const MESSAGES = {
  envelope: ENVELOPE,
  result: RESULT,
  preview: PREVIEW,
  receipt: RECEIPT,
  registration: REGISTRATION,
} as const;

export const groups: Group[] = [];

/** Registers a group under a title that names the rows it proves. */
export function testGroup(title: string, cases: readonly Case[]): void {
  groups.push({ title, cases });
}

const apply = (value: JsonObject, changes: Changes): string =>
  JSON.stringify(Object.entries(changes).reduce((made, [path, to]) => change(made, path, to), value));

/** Cases that start from one of the valid manifests; paths may leave out `capabilities.` by starting with a dot. */
export function from(base: keyof typeof VALID): {
  valid(changes?: Changes): ManifestCase;
  invalid(changes: Changes, problem: string): ManifestCase;
} {
  const full = (path: string) => path.replace(/^\./, 'capabilities.');
  const text = (changes: Changes) => {
    const make = VALID[base];
    if (make === undefined) throw new Error(`no manifest ${base}`);
    return apply(make(), Object.fromEntries(Object.entries(changes).map(([path, to]) => [full(path), to])));
  };
  return {
    valid: (changes = {}) => ({ kind: 'manifest', text: text(changes), problem: undefined }),
    invalid: (changes, problem) => ({ kind: 'manifest', text: text(changes), problem: full(problem) }),
  };
}

export const rawManifest = (text: string, problem: string | undefined): ManifestCase => ({
  kind: 'manifest',
  text,
  problem,
});

export const message = (kind: keyof typeof MESSAGES, changes: Changes, valid: boolean): MessageCase => ({
  kind,
  text: apply(MESSAGES[kind], changes),
  valid,
});
