/** Whether the add-on that a change is for can carry it out now, said before anyone tries. */
import { apps } from '../api/lists.ts';
import { useQuery } from '../api/query.ts';

/** One sentence for the person when Confirm would lead nowhere; nothing while that is not known. */
export function useUnready(addonId: string, title: string): string | undefined {
  const { data } = useQuery(apps);
  if (data === undefined) return undefined;
  const app = data.find(({ id }) => id === addonId);
  if (app === undefined) return `${title} was removed or turned off, so this change cannot be made now.`;
  if (!app.enabled) return `${title} is off. Turn it on to confirm this change.`;
  if (app.state === 'starting') return `${title} is starting. You can confirm in a moment.`;
  if (app.state !== 'running') return `${title} does not run, so this change cannot be made now.`;
  return undefined;
}
