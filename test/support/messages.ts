/** Valid messages of the wire to start from. */
import type { JsonObject } from '../../src/contract/json.js';

export const ENVELOPE: JsonObject = {
  request: {
    addonId: 'tables',
    resourceId: 'people',
    operationId: 'op-1',
    generation: 3,
    action: 'write',
    arguments: { tool: 'rows-insert', rows: [{ name: 'Ada' }] },
  },
  authority: {
    actor: { userId: 'local-owner', credentialId: 'local-owner', mode: 'local-owner' },
    scope: 'apply',
    expiresAt: '2026-11-30T12:00:00Z',
  },
};

export const OUTPUT: JsonObject = { handle: 'export-1', name: 'people.csv', mediaType: 'text/csv', size: 12 };

export const RESULT: JsonObject = { payload: { rows: [{ id: 1 }] }, outputs: [OUTPUT] };

export const PREVIEW: JsonObject = {
  operationId: 'op-1',
  revision: { schema: 1, data: 0 },
  expiresAt: '2026-11-30T12:00:00Z',
  summary: { count: 1, sample: [{ id: 1 }] },
};

export const RECEIPT: JsonObject = {
  operationId: 'op-1',
  state: 'committed',
  revision: { schema: 1, data: 0 },
  result: RESULT,
};

export const REGISTRATION: JsonObject = {
  protocol: 1,
  addonId: 'tables',
  version: '1.0.0',
  generation: 3,
  incarnation: '0123456789abcdef0123456789abcdef',
  endpoint: 'http://127.0.0.1:40001',
  capabilities: {
    service: true,
    tools: ['rows-list'],
    ui: { pages: ['a'], modelActions: [{ capability: 'FLAG_IMAGE', page: 'a' }] },
  },
};
