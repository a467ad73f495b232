/** Context files: index files the host reads into a prompt; the add-on gets no access (18:191-212; 08:309-330). */
import { integer, list, member, oneOf, type Report, record, text } from '../shape.js';
import { CAPABILITIES, entries, type Facts, NEEDS_API_2, repeats } from './facts.js';

export const MAX_CONTEXT_BYTES = 2_048;

const SCOPES: readonly string[] = ['user', 'agent', 'channel'];

const PATH_PATTERN = '^Memory(?:/(?!\\.)[A-Za-z0-9._{}-]+)*/(?!\\.)[A-Za-z0-9._{}-]+\\.md$';
const PATH = new RegExp(PATH_PATTERN);

/** A path under `Memory/` that ends in `.md`; which placeholder it holds depends on its scope. */
export const isContextPath = (path: string): boolean => path.length <= 256 && PATH.test(path);

const file = record(
  {
    scope: oneOf(...SCOPES),
    path: text({
      rule: 'context-path',
      says: 'a path under Memory/ that ends in .md, without "." or ".." segments, at most 256 characters',
      pattern: PATH_PATTERN,
      max: 256,
    }),
  },
  { cap: integer(1, MAX_CONTEXT_BYTES) },
);

export const contextFiles = list(file, { min: 1, max: 3 });

const AT = member(CAPABILITIES, 'contextFiles');

export function contextFileRules(facts: Facts, report: Report): void {
  if (!Object.hasOwn(facts.capabilities, 'contextFiles')) return;
  if (facts.oldApi) report(AT, 'api-2', NEEDS_API_2);
  const files = entries(facts.capabilities.contextFiles, AT);
  const scopes = files.flatMap(({ value, at }) =>
    typeof value.scope === 'string' ? [{ value: value.scope, at: member(at, 'scope') }] : [],
  );
  repeats(scopes, (at) => report(at, 'repeated-id', 'There is at most one file for each scope.'));
  for (const { value, at } of files) {
    if (typeof value.path !== 'string' || !SCOPES.includes(value.scope as string)) continue;
    const braces = value.path.match(/[{}][^{}]*[{}]?/g) ?? [];
    const expected = value.scope === 'user' ? [] : [`{${value.scope}}`];
    if (braces.join('|') !== expected.join('|'))
      report(
        member(at, 'path'),
        'placeholder',
        value.scope === 'user'
          ? 'A path of scope "user" holds no placeholder.'
          : `A path of scope "${value.scope}" holds {${value.scope}} exactly once and no other placeholder.`,
      );
  }
}
