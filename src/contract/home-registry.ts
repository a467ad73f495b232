/** Home page commands of installed apps: their names, aliases and order (02:32-66). Pure; who may see an app is decided before. */
import { DEFAULT_ICON } from './manifest/icons.js';

export interface HomeApp {
  readonly addonId: string;
  /** In the language of the person. */
  readonly title: string;
  readonly icon?: string;
  readonly mainPage?: string;
  readonly commands: readonly {
    readonly id: string;
    readonly alias?: string;
    readonly page?: string;
    readonly label?: string;
    readonly icon?: string;
  }[];
}

export interface HomeCommand {
  /** `/addon:<addonId>:<commandId>`; the only name that is always there. */
  readonly name: string;
  readonly alias?: string;
  readonly addonId: string;
  readonly page: string;
  readonly label: string;
  readonly icon: string;
}

export interface AliasDiagnostic {
  readonly alias: string;
  readonly reason: 'native' | 'skill' | 'shared';
  /** The commands that asked for it, by canonical name. */
  readonly claimants: readonly string[];
}

export interface HomeRegistry {
  readonly commands: readonly HomeCommand[];
  readonly diagnostics: readonly AliasDiagnostic[];
}

interface Taken {
  /** Names of native commands, hidden ones too, without slash. */
  readonly native: ReadonlySet<string>;
  /** Names of the skills the person can use. */
  readonly skills: ReadonlySet<string>;
}

const canonical = (addonId: string, id: string): string => `/addon:${addonId}:${id}`;
const before = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Commands in the order of add-on id and command id, each alias given to at most one of them. */
export function homeRegistry(apps: readonly HomeApp[], taken: Taken): HomeRegistry {
  const claims = new Map<string, string[]>();
  const ordered = [...apps].sort((a, b) => before(a.addonId, b.addonId));
  const all = ordered.flatMap((app) =>
    [...app.commands].sort((a, b) => before(a.id, b.id)).map((command) => ({ app, command })),
  );
  for (const { app, command } of all)
    if (command.alias !== undefined)
      claims.set(command.alias, [...(claims.get(command.alias) ?? []), canonical(app.addonId, command.id)]);
  const diagnostics: AliasDiagnostic[] = [];
  for (const [alias, claimants] of [...claims].sort(([a], [b]) => before(a, b))) {
    const reason = taken.native.has(alias)
      ? 'native'
      : taken.skills.has(alias)
        ? 'skill'
        : claimants.length > 1
          ? 'shared'
          : undefined;
    if (reason !== undefined) diagnostics.push({ alias, reason, claimants });
  }
  const lost = new Set(diagnostics.map(({ alias }) => alias));
  const commands = all.flatMap(({ app, command }) => {
    const page = command.page ?? app.mainPage;
    if (page === undefined) return [];
    const alias = command.alias === undefined || lost.has(command.alias) ? {} : { alias: `/${command.alias}` };
    const title = page === app.mainPage ? app.title : `${app.title} ${page}`;
    const made: HomeCommand = {
      name: canonical(app.addonId, command.id),
      ...alias,
      addonId: app.addonId,
      page,
      label: command.label ?? title,
      icon: command.icon ?? app.icon ?? DEFAULT_ICON,
    };
    return [made];
  });
  return { commands, diagnostics };
}

/** The command whose name or alias is exactly `text`: no arguments, no prefixes, never a label. */
export const commandFor = (registry: HomeRegistry, text: string): HomeCommand | undefined =>
  registry.commands.find(({ name, alias }) => text === name || text === alias);
