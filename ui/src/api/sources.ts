/** What the page does with sources: the routes of all kinds, and the edit and the refresh of a library (04:178-198; 12:351-378). */
import type { ServerSettings, SourceView } from '../../../src/contract/api.ts';
import { call, dispatch, newOperationId } from './client.ts';

export interface NewSource {
  readonly kind: SourceView['kind'];
  readonly format: SourceView['format'];
  readonly url: string;
  readonly name?: string;
}

const ROUTE = '/api/library/sources';
const at = (id: string) => `${ROUTE}/${encodeURIComponent(id)}`;

export const addSource = (source: NewSource) => call<SourceView>(ROUTE, { method: 'POST', body: source });

export const switchSource = (id: string, on: boolean) =>
  call<SourceView>(`${at(id)}/${on ? 'enable' : 'disable'}`, { method: 'POST', body: {} });

export const removeSource = (id: string) => call<void>(at(id), { method: 'DELETE', body: {} });

export const switchOfficial = (on: boolean) =>
  call<ServerSettings>('/api/settings', { method: 'POST', body: { official_libraries: on } });

export const readAgain = (id: string) =>
  dispatch<{ readonly count: number }>({
    action: 'catalog-source-refresh',
    operationId: newOperationId('refresh'),
    arguments: { sourceId: id },
  });

/** Replaces what may be edited of a library; `enabled` is left as it is. */
export const saveSource = (
  source: Pick<SourceView, 'id' | 'name' | 'url' | 'policy' | 'authReference' | 'enabled'>,
) => {
  const { id, name, url, policy, authReference, enabled } = source;
  const reference = authReference === undefined ? {} : { authReference };
  return dispatch({
    action: 'catalog-source-save',
    operationId: newOperationId('source'),
    arguments: { id, name, url, policy, enabled, ...reference },
  });
};
