/** Messages of the wire, each right or wrong for one reason (05:242-269). */
import { message, testGroup } from '../corpus.js';

const ids = ['', 'Op', 'a b', 'a/b', '../a', '1a', `a${'b'.repeat(64)}`, 7, null, 'a\n'];

testGroup('envelopes', [
  message('envelope', {}, true),
  message('envelope', { 'request.resourceId': undefined }, true),
  message('envelope', { 'request.resourceId': '' }, true),
  message('envelope', { 'request.arguments': {} }, true),
  message('envelope', { 'authority.scope': 'act', 'request.action': 'act' }, true),
  message('envelope', { 'authority.actor.mode': 'named-user' }, true),
  ...ids.map((id) => message('envelope', { 'request.operationId': id }, false)),
  ...ids.map((id) => message('envelope', { 'request.addonId': id }, false)),
  ...['scope', 'expiresAt', 'actor'].map((field) => message('envelope', { [`authority.${field}`]: undefined }, false)),
  ...['admin', '', 'READ', 'act'].map((scope) => message('envelope', { 'authority.scope': scope }, false)),
  message('envelope', { 'request.action': 'act' }, false),
  message('envelope', { 'request.approved': true }, false),
  message('envelope', { 'authority.approved': true }, false),
  message('envelope', { 'authority.expiresAt': 'tomorrow' }, false),
  message('envelope', { 'request.generation': 0 }, false),
]);

testGroup('results', [
  message('result', {}, true),
  message('result', { payload: undefined }, true),
  message('result', { outputs: undefined }, true),
  ...['../x', 'a/b', '', '..', 'a\u0000', 'a\\b'].map((name) => message('result', { 'outputs[0].name': name }, false)),
  ...['../x', '/a', '', 'https://x', 'a b'].map((handle) => message('result', { 'outputs[0].handle': handle }, false)),
  ...[-1, 0.5, '1', null].map((size) => message('result', { 'outputs[0].size': size }, false)),
  ...['', 'csv', 'a/b/c', 'text/csv\r\nX: y'].map((type) => message('result', { 'outputs[0].mediaType': type }, false)),
  message('result', { 'outputs[0].path': '/x' }, false),
  message('result', { ok: true }, false),
]);

testGroup('previews', [
  message('preview', {}, true),
  message('preview', { summary: [] }, true),
  ...['operationId', 'revision', 'expiresAt', 'summary'].map((field) =>
    message('preview', { [field]: undefined }, false),
  ),
  message('preview', { 'revision.schema': 0 }, false),
  message('preview', { 'revision.data': -1 }, false),
  message('preview', { state: 'committed' }, false),
]);

testGroup('receipts', [
  message('receipt', {}, true),
  message('receipt', { result: undefined }, true),
  message('receipt', { state: 'unknown', 'revision.schema': 0 }, true),
  message('receipt', { 'revision.schema': 0 }, false),
  ...['applied', '', 'COMMITTED', null].map((state) => message('receipt', { state }, false)),
  message('receipt', { 'result.more': 1 }, false),
  message('receipt', { 'result.outputs[0].name': '..' }, false),
]);

testGroup('registrations', [
  message('registration', {}, true),
  ...['protocol', 'addonId', 'version', 'generation', 'incarnation', 'endpoint', 'capabilities'].map((field) =>
    message('registration', { [field]: undefined }, false),
  ),
  message('registration', { protocol: 2 }, false),
  message('registration', { credential: 'x' }, false),
]);
