/** The lists that the whole page shares: features, apps, and the proposals that wait. */
import type {
  AppEntry,
  InstalledEntry,
  ProposalPage,
  ResourceEntry,
  ServerSettings,
  SourceList,
  SourceView,
} from '../../../src/contract/api.ts';
import { ApiError, call, dispatch } from './client.ts';
import { onChange } from './live.ts';
import { Query, useQuery } from './query.ts';

export interface Features {
  readonly addons: boolean;
}

/** Without the route every feature counts as given; each call is checked by the owner in any case. */
export const features = new Query<Features>(async (signal) => {
  try {
    return await call<Features>('/api/features', { signal });
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 404) return { addons: true };
    throw thrown;
  }
}, 60_000);

export const apps = new Query<readonly AppEntry[]>(
  async (signal) => (await call<{ apps: readonly AppEntry[] }>('/api/addons/apps', { signal })).apps,
);

/** The sources of all kinds, or `denied` for a person who is no administrator: the tabs for administrators hang on it (12:139-142). */
export const sources = new Query<readonly SourceView[] | 'denied'>(
  administratorsOnly(async (signal) => {
    return (await call<SourceList>('/api/library/sources', { signal })).sources;
  }),
  30_000,
);

export const settings = new Query<ServerSettings | 'denied'>(
  administratorsOnly((signal) => call<ServerSettings>('/api/settings', { signal })),
  60_000,
);

export const installed = new Query<readonly InstalledEntry[] | 'denied'>(
  administratorsOnly(async (signal) => {
    const answer = await dispatch<{ addons: readonly InstalledEntry[] }>({ action: 'addons-installed' }, { signal });
    return answer.addons;
  }),
);

const proposalsIn = (state: string) =>
  new Query<ProposalPage>((signal) => call(`/api/addons/proposals?state=${state}&limit=100`, { signal }));

export const pending = proposalsIn('pending');
export const unresolved = proposalsIn('unresolved');

const resourceLists = new Map<string, Query<readonly ResourceEntry[]>>();

/** The resources of one add-on that this person owns or that were shared with them (11, "UI-only resource management"). */
export function resourcesOf(addonId: string): Query<readonly ResourceEntry[]> {
  const known = resourceLists.get(addonId);
  if (known !== undefined) return known;
  const path = `/api/addons/resources?addonId=${encodeURIComponent(addonId)}`;
  const query = new Query<readonly ResourceEntry[]>(
    async (signal) => (await call<{ resources: readonly ResourceEntry[] }>(path, { signal })).resources,
    30_000,
  );
  resourceLists.set(addonId, query);
  return query;
}

function administratorsOnly<T>(read: (signal: AbortSignal) => Promise<T>) {
  return async (signal: AbortSignal): Promise<T | 'denied'> => {
    try {
      return await read(signal);
    } catch (thrown) {
      if (thrown instanceof ApiError && (thrown.status === 403 || thrown.status === 401)) return 'denied';
      throw thrown;
    }
  };
}

/** Stands for what the sources offer: another text when one was read, edited, or turned on or off. */
export function useOffer(): string {
  const list = useQuery(sources).data;
  if (!Array.isArray(list)) return '';
  return list.map(({ id, kind, enabled, refresh }) => `${kind}/${id}/${enabled}/${refresh?.checkedAt ?? ''}`).join();
}

/** Whether a source of add-ons that is in use was not read yet, as in the first moments after a start. */
export function useReading(): boolean {
  const list = useQuery(sources).data;
  return (
    Array.isArray(list) &&
    list.some(({ kind, enabled, refresh }) => kind === 'addon' && enabled && refresh === undefined)
  );
}

/** Reads the shared lists again at each change that concerns them. */
export function followChanges(): void {
  const readResources = () => {
    for (const query of resourceLists.values()) if (query.watched) void query.refresh();
  };
  onChange('apps', () => {
    for (const query of [apps, installed, sources, settings]) if (query.watched) void query.refresh();
    // What an add-on holds could not be told while it was starting, and is asked for as soon as it runs.
    readResources();
  });
  onChange('resources', readResources);
  onChange('proposals', () => {
    for (const query of [pending, unresolved]) if (query.watched) void query.refresh();
  });
}
