/** The mock's answers, route by route. Only as much behaviour as the page can see. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ResourceEntry } from '../../src/contract/api.js';
import { airportRows, installedOf } from './mock-data.js';
import { decide } from './mock-proposals.js';
import { saveSource, sourceRoute } from './mock-sources.js';
import { type Call, type Emit, error, type MockState, type Operation, type Reply } from './mock-state.js';

type Fields = Record<string, unknown>;

const denied = () => error(403, 'addon_error', 'The request was denied.', { code: 'denied' });
const ok = (body: unknown): Reply => ({ status: 200, body });

export async function answer(state: MockState, emit: Emit, call: Call): Promise<Reply> {
  const { method, url } = call;
  const path = url.pathname;
  const body = (call.body ?? {}) as Fields;
  const fault = takeFault(state, `${method} ${path}`) ?? takeFault(state, String(body.action ?? ''));
  if (fault !== undefined) return fault;
  if (path === '/api/features') return ok({ addons: state.addonsFeature, addon_navigation: false });
  if (path === '/api/addons/apps')
    return ok({ apps: state.apps.map((app) => (state.administrator ? app : withoutAdmin(app))) });
  if (path === '/api/addons/dispatch') return dispatch(state, emit, body, call.headers);
  if (path === '/api/addons/resources') return resourceRoute(state, emit, call, body);
  if (path === '/api/settings' || path.startsWith('/api/library/sources')) return sourceRoute(state, emit, call, body);
  if (path === '/api/local-confirm')
    return body.code === state.confirmCode
      ? letThrough(state)
      : error(403, 'addon_error', 'The code is not right.', { code: 'denied' });
  if (path === '/api/admin/execution-status') return state.administrator ? ok(state.execution) : denied();
  if (path === '/api/admin/tool-providers') return providers(state, call, body);
  if (path.startsWith('/api/admin/addons/')) return care(state, call, body);
  const icon = /^\/api\/addons\/apps\/([^/]+)\/icon$/.exec(path);
  if (icon !== null) return { status: 200, type: 'image/svg+xml', text: ICON };
  const start = /^\/api\/addons\/apps\/([^/]+)\/(start|stop)$/.exec(path);
  if (start !== null) return switchApp(state, emit, String(start[1]), start[2] === 'start', body);
  if (path.startsWith('/api/addons/proposals')) return decide(state, emit, call);
  return error(404, 'addon_error', 'There is no such route.', { code: 'not_found' });
}

function care(state: MockState, { method, url }: Call, body: Fields): Reply {
  if (!state.administrator) return denied();
  if (url.pathname.endsWith('/log')) return ok({ lines: state.output });
  if (method === 'PUT') state.limits = { ...state.limits, ...body } as MockState['limits'];
  return ok(state.limits);
}

function providers(state: MockState, { method }: Call, body: Fields): Reply {
  if (!state.administrator) return denied();
  if (method !== 'PUT') return ok(state.providers);
  if (body.revision !== state.providers.revision)
    return error(409, 'stale', 'The choices were changed since you read them. Nothing changed.');
  const choices = body.choices as Readonly<Record<string, string | null>>;
  const tools = state.providers.tools.map(({ chosen, ...row }) => {
    const by = Object.hasOwn(choices, row.tool) ? choices[row.tool] : chosen;
    return typeof by === 'string' ? { ...row, chosen: by } : row;
  });
  state.providers = { revision: state.providers.revision + 1, tools };
  return ok(state.providers);
}

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 44 44"><rect width="44" height="44" fill="#2f5fb3"/><path d="M11 13h22v18H11zM11 19h22M11 25h22M18.500 13v18" fill="none" stroke="#fff" stroke-width="2"/></svg>';

function letThrough(state: MockState): Reply {
  state.confirmCode = undefined;
  return { status: 204 };
}

function takeFault(state: MockState, key: string): Reply | undefined {
  const fault = state.faults.get(key);
  if (fault === undefined || fault.times <= 0) return undefined;
  fault.times -= 1;
  return fault.cut === true ? 'cut' : { status: fault.status, body: { error: fault.error } };
}

function withoutAdmin<T extends { admin?: unknown }>({ admin: _admin, ...rest }: T): Omit<T, 'admin'> {
  return rest;
}

const status = (state: MockState, operationId: string) => {
  const operation = state.operations.get(operationId);
  if (operation === undefined) return undefined;
  const running = operation.state === 'intent' && operation.action === 'install';
  return {
    operationId,
    addonId: operation.addonId,
    action: operation.action,
    state: operation.state,
    generation: 1,
    runtimeState: 'not-observed',
    ...(running
      ? { progress: { phase: 'downloading', bytes: operation.bytes, totalBytes: operation.totalBytes } }
      : {}),
  };
};

function switchApp(state: MockState, emit: Emit, id: string, on: boolean, body: Fields): Reply {
  const at = state.apps.findIndex((app) => app.id === id);
  const found = state.apps[at];
  if (found === undefined || !state.administrator || body.generation !== found.generation) return denied();
  const operationId = String(body.operationId);
  state.operations.set(operationId, {
    addonId: id,
    action: on ? 'enable' : 'disable',
    state: 'completed',
    bytes: 0,
    totalBytes: 0,
  });
  state.apps[at] = { ...found, enabled: on, state: on ? 'running' : 'stopped' };
  emit('apps');
  return ok(status(state, operationId));
}

const LIBRARY_WIDE = ['operation-status', 'catalog-source-save', 'catalog-source-refresh'];

function dispatch(state: MockState, emit: Emit, body: Fields, headers: IncomingHttpHeaders): Reply {
  const args = (body.arguments ?? {}) as Fields;
  const action = String(body.action);
  const payload = (value: unknown): Reply => ok({ payload: value });
  if (action === 'read') return payload(readTool(args));
  if (!state.administrator) return denied();
  if (action === 'catalog-sources') return payload({ sources: state.sources });
  if (action === 'addons-installed') return payload({ addons: state.apps.map(installedOf) });
  if (action === 'catalog-search') {
    const text = String(args.text ?? '').toLowerCase();
    const found = state.releases.filter((entry) =>
      `${entry.id} ${entry.name} ${entry.description}`.toLowerCase().includes(text),
    );
    return payload({ releases: found, total: found.length });
  }
  if (body.addonId !== undefined && LIBRARY_WIDE.includes(action)) {
    return error(400, 'invalid_request', 'This action is about the library as a whole and takes no add-on.');
  }
  if (action === 'operation-status') {
    const known = status(state, String(args.operationId));
    return known === undefined
      ? error(404, 'addon_error', 'No such operation.', { code: 'not_found' })
      : payload(known);
  }
  if (action === 'catalog-source-save' || action === 'catalog-source-refresh') return saveSource(state, action, args);
  if (action === 'install') return install(state, emit, body, headers);
  if (action === 'uninstall') {
    state.apps = state.apps.filter(({ id }) => id !== body.addonId);
    state.operations.set(String(body.operationId), {
      addonId: String(body.addonId),
      action,
      state: 'completed',
      bytes: 0,
      totalBytes: 0,
    });
    emit('apps');
    return payload(status(state, String(body.operationId)));
  }
  return error(400, 'invalid_request', 'This action is not known.');
}

function install(state: MockState, emit: Emit, body: Fields, headers: IncomingHttpHeaders): Reply {
  const [operationId, addonId] = [String(body.operationId), String(body.addonId)];
  const totalBytes = 48_600_000;
  const operation: Operation = { addonId, action: 'install', state: 'intent', bytes: 0, totalBytes };
  state.operations.set(operationId, operation);
  const started = Date.now();
  const timer = setInterval(() => {
    operation.bytes = Math.min(
      totalBytes,
      Math.round((totalBytes * (Date.now() - started)) / Math.max(1, state.installMs)),
    );
    if (operation.bytes < totalBytes) return;
    clearInterval(timer);
    operation.state = 'completed';
    const offer = state.releases.find(({ id }) => id === addonId);
    state.apps.push({
      id: addonId,
      name: addonId,
      title: offer?.name ?? addonId,
      description: offer?.description ?? '',
      version: offer?.version ?? '1.0.0',
      generation: 1,
      enabled: false,
      state: 'stopped',
      hasUI: false,
      launchMode: 'always',
      tools: [],
      toolCount: offer?.toolCount ?? 0,
      admin: { canStart: true, canStop: false, managementUrl: `/app/addons?manage=${addonId}` },
    });
    emit('apps');
  }, 60);
  timer.unref();
  const async = headers.prefer === 'respond-async';
  return { status: async ? 202 : 200, body: { payload: status(state, operationId) } };
}

function resourceRoute(state: MockState, emit: Emit, call: Call, body: Fields): Reply {
  if (call.method === 'GET') {
    const addonId = call.url.searchParams.get('addonId');
    const on = state.apps.some(({ id, state: running }) => id === addonId && running === 'running');
    const held = state.resources.filter((entry) => entry.addonId === addonId);
    // Names and versions are asked of the add-on, so they are there only while it runs.
    const known = ({ revision: _revision, ...entry }: ResourceEntry) => ({ ...entry, name: entry.resourceId });
    return ok({ resources: on ? held : held.map(known) });
  }
  const operationId = String(body.operationId);
  if (call.headers['x-localai-confirm'] !== operationId) return denied();
  const name = String((body.arguments as Fields).name);
  const entry = {
    resourceId: `r-${operationId.slice(-8)}`,
    addonId: String(body.addonId),
    name,
    role: 'owner' as const,
    sharedWith: 0,
    revision: { schema: 1, data: 0 },
  };
  state.resources.push(entry);
  emit('resources');
  return { status: 201, body: { ...entry, operationId } };
}

function readTool(args: Fields): unknown {
  if (args.tool === 'inspect') {
    const tables = [
      {
        name: 'airports',
        rows: 3376,
        columns: Object.keys(airportRows[0] ?? {}).map((name) => ({ name, type: 'text' })),
      },
      {
        name: 'runways',
        rows: 0,
        columns: [
          { name: 'iata', type: 'text' },
          { name: 'length', type: 'integer' },
        ],
      },
    ];
    // As if an answer had room for one table only.
    const next = Number(args.offset ?? 0) + 1;
    const more = next < tables.length ? { next } : {};
    return { name: 'Airports', revision: { schema: 2, data: 41 }, tables: tables.slice(next - 1, next), ...more };
  }
  const columns = ['rowid', ...Object.keys(airportRows[0] ?? {})];
  const offset = Number(args.offset ?? 0);
  const rows = Array.from({ length: 50 }, (_, at) => [offset + at + 1, ...Object.values(airportRows[at % 20] ?? {})]);
  return { table: args.table, columns, rows, total: 3376, next: offset + 50 };
}
