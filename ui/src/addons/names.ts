/** How an add-on is named and described in the language of the browser (12:324-328). */
import type { AppEntry } from '../../../src/contract/api.ts';

type Named = Pick<AppEntry, 'id' | 'title' | 'description' | 'titles' | 'descriptions'>;

function localized(all: Readonly<Record<string, string>> | undefined, fallback: string): string {
  for (const language of navigator.languages) {
    const text = all?.[language] ?? all?.[language.split('-')[0] ?? language];
    if (text !== undefined && text !== '') return text;
  }
  return fallback;
}

export const titleOf = (app: Named): string => localized(app.titles, app.title) || app.id;
export const descriptionOf = (app: Named): string => localized(app.descriptions, app.description);

/** What the add-on calls one thing that it holds, in its own word. */
export const nounOf = (app: Pick<AppEntry, 'resourceNoun'>): string => app.resourceNoun ?? 'item';

/** Only the host's own icon route is ever loaded (12:328-329). */
export const iconOf = (app: Pick<AppEntry, 'id' | 'icon'>): string | undefined =>
  app.icon?.startsWith(`/api/addons/apps/${encodeURIComponent(app.id)}/icon?`) === true ? app.icon : undefined;
