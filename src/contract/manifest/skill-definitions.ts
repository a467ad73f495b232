/** Declared skills: names only, since the description stands in each SKILL.md (05:52-82). */
import { list, member, oneOf, type Report, record } from '../shape.js';
import { CAPABILITIES, entries, type Facts, repeats } from './facts.js';
import { isName, name } from './words.js';

/** Slots that a document provider fills; the names are reserved for them (05:81-82, 05:109). */
export const DOCUMENT_SLOTS = ['xlsx', 'docx', 'pptx', 'pdf'] as const;
/** Built-in skills, which nothing replaces (05:81, 05:110). */
export const CORE_SKILLS: readonly string[] = ['writing-skills', 'localai-workspace', 'localai-apps'];
const RESERVED: readonly string[] = [...CORE_SKILLS, ...DOCUMENT_SLOTS];

export const skillDefinitions = list(record({ name }, { shadows: oneOf(...DOCUMENT_SLOTS) }), { max: 16 });

const AT = member(CAPABILITIES, 'skillDefinitions');

export function skillRules(facts: Facts, report: Report): void {
  const skills = entries(facts.capabilities.skillDefinitions, AT);
  const names = skills.flatMap(({ value, at }) => (isName(value.name) ? [{ value: value.name, at }] : []));
  repeats(names, (at) => report(member(at, 'name'), 'repeated-id', 'Each skill needs a name of its own.'));
  for (const { value, at } of skills) {
    if (!isName(value.name)) continue;
    if (Object.hasOwn(value, 'shadows')) {
      if (typeof value.shadows === 'string' && value.shadows !== value.name)
        report(member(at, 'shadows'), 'skill-shadows', 'This must repeat the name of the skill.');
    } else if (RESERVED.includes(value.name))
      report(member(at, 'name'), 'skill-reserved', 'This name is reserved; choose one that starts with the add-on id.');
    else if (facts.id !== undefined && value.name !== facts.id && !value.name.startsWith(`${facts.id}-`))
      report(member(at, 'name'), 'skill-name', `A skill is named "${facts.id}", or "${facts.id}-" and more.`);
  }
}
