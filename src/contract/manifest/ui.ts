/** The UI of an add-on: module, styles, pages, how the app presents itself, and what it contributes (05:30-50). */
import { list, member, type Report, record } from '../shape.js';
import { chatActions, contributionRules, controls, renderers, slots } from './contributions.js';
import { CAPABILITIES, type Facts, repeats, strings } from './facts.js';
import { homeCommandRules, homeCommands, modelActionRules, modelActions, pageRule } from './home-commands.js';
import { iconPath, localized, name, packagePath, sdkRange } from './words.js';

export const ui = record(
  { entry: packagePath, sdk: sdkRange },
  {
    css: list(packagePath, {}),
    pages: list(name, { unique: true }),
    navigation: list(name, { unique: true }),
    mainPage: name,
    icon: iconPath,
    title: localized(80),
    description: localized(280),
    chatActions,
    slots,
    renderers,
    controls,
    homeCommands,
    modelActions,
  },
);

const AT = member(CAPABILITIES, 'ui');

export function uiRules(facts: Facts, report: Report): void {
  const declared = facts.ui;
  if (declared === undefined) return;
  for (const { value, at } of strings(declared.navigation, member(AT, 'navigation')))
    pageRule(facts, value, at, report);
  pageRule(facts, declared.mainPage, member(AT, 'mainPage'), report);
  const single = (field: 'entry' | 'icon') => {
    const value = declared[field];
    return typeof value === 'string' ? [{ value, at: member(AT, field) }] : [];
  };
  const assets = [...single('entry'), ...strings(declared.css, member(AT, 'css')), ...single('icon')];
  repeats(assets, (at) => report(at, 'repeated-id', 'This file is declared twice; each UI asset stands once.'));
  contributionRules(facts, declared, AT, report);
  homeCommandRules(facts, declared, AT, report);
  modelActionRules(facts, declared, AT, report);
}
