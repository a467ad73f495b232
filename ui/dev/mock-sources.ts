/** The mock's sources: the routes of all kinds, and the edit and the refresh over dispatch. */
import type { SourcePolicy, SourceView } from '../../src/contract/api.js';
import { type Call, type Emit, error, type MockState, type Reply } from './mock-state.js';

type Fields = Record<string, unknown>;
const ok = (body: unknown, status = 200): Reply => ({ status, body });

export function sourceRoute(state: MockState, emit: Emit, { method, url }: Call, body: Fields): Reply {
  if (!state.administrator) return error(403, 'addon_error', 'The request was denied.', { code: 'denied' });
  if (url.pathname === '/api/settings') {
    if (method === 'POST') state.officialLibraries = body.official_libraries === true;
    return ok({ official_libraries: state.officialLibraries });
  }
  const [, , , , id, verb] = url.pathname.split('/');
  if (id === undefined)
    return method === 'GET'
      ? ok({ sources: state.sources.map((source) => seen(state, source)), officialLibraries: state.officialLibraries })
      : add(state, emit, body);
  const at = state.sources.findIndex((source) => source.id === id);
  const found = state.sources[at];
  if (found === undefined) return error(404, 'addon_error', 'There is no library with this id.', { code: 'not_found' });
  if (method === 'DELETE') {
    if (found.default) state.sources[at] = { ...found, enabled: false, removed: true };
    else state.sources.splice(at, 1);
    return { status: 204 };
  }
  state.sources[at] = { ...found, enabled: verb === 'enable', removed: false };
  return ok(state.sources[at]);
}

const seen = ({ officialLibraries }: MockState, source: SourceView): SourceView =>
  source.default && !officialLibraries ? { ...source, enabled: false, suspended: true } : source;

function add(state: MockState, emit: Emit, body: Fields): Reply {
  const url = String(body.url);
  if (!url.startsWith('https://'))
    return error(400, 'invalid_request', 'The address of a library must begin with https. Nothing changed.');
  const source: SourceView = {
    id: `added-${state.sources.length}`,
    kind: body.kind as SourceView['kind'],
    name: String(body.name ?? new URL(url).host),
    url,
    format: body.format as SourceView['format'],
    enabled: true,
    default: false,
    removed: false,
    suspended: false,
    policy: { requireSignature: false },
  };
  state.sources.push(source);
  emit('apps');
  return ok(source, 201);
}

export function saveSource(state: MockState, action: string, args: Fields): Reply {
  const id = action === 'catalog-source-refresh' ? args.sourceId : args.id;
  const at = state.sources.findIndex((source) => source.id === id);
  const found = state.sources[at];
  if (found === undefined) return error(403, 'addon_error', 'The request was denied.', { code: 'denied' });
  if (action === 'catalog-source-save') {
    const { name, url, policy } = args as { name: string; url: string; policy: SourcePolicy };
    const reference = typeof args.authReference === 'string' ? { authReference: args.authReference } : {};
    state.sources[at] = { ...found, name, url, policy, enabled: args.enabled === true, ...reference };
    return ok({ payload: state.sources[at] });
  }
  const now = new Date().toISOString();
  const count = found.refresh?.count ?? 3;
  state.sources[at] = { ...found, refresh: { checkedAt: now, lastSuccess: now, count, failed: false } };
  return ok({ payload: { sourceId: id, count, checkedAt: now, lastSuccess: now } });
}
