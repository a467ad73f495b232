import { type Source, type SourceEvent, type SourceSettings, source } from '../../../src/aggregates/source.js';
import { fold, given } from '../../support/fold.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('source aggregate');

const settings: SourceSettings = {
  name: 'Library',
  url: 'https://lib.test/index.yaml',
  format: 'library',
  policy: { requireSignature: false },
};
const identity = { kind: 'addon', id: 'lib' } as const;
const added = (builtin: boolean): SourceEvent => ({
  type: 'SourceAdded',
  payload: { ...identity, ...settings, enabled: true, builtin },
});
const removed: SourceEvent = { type: 'DefaultSourceRemoved', payload: {} };
const deleted: SourceEvent = { type: 'SourceDeleted', payload: {} };
const off: SourceEvent = { type: 'SourceDisabled', payload: {} };
const on: SourceEvent = { type: 'SourceEnabled', payload: {} };

test('an unknown id is added, a known one refused', () => {
  const add = { type: 'add', ...identity, settings, enabled: true } as const;
  given(source, [])
    .when(add)
    .thenEvents([added(false)]);
  given(source, [added(false)])
    .when(add)
    .thenRefused('operation_conflict');
  given(source, [added(true), removed])
    .when(add)
    .thenRefused('operation_conflict');
  given(source, [added(false), deleted])
    .when(add)
    .thenEvents([added(false)]);
});

test('a shipped library is registered once; what was removed stays removed', () => {
  const ship = { type: 'ship', ...identity, settings, enabled: true } as const;
  given(source, [])
    .when(ship)
    .thenEvents([added(true)]);
  given(source, [added(true)])
    .when(ship)
    .thenEvents([]);
  given(source, [added(true), removed])
    .when(ship)
    .thenEvents([]);
});

test('removing a shipped library leaves a tombstone, removing an added one deletes it [CATALOG-004]', () => {
  given(source, [added(true)])
    .when({ type: 'remove' })
    .thenEvents([removed]);
  given(source, [added(true), removed])
    .when({ type: 'remove' })
    .thenEvents([]);
  given(source, [added(false)])
    .when({ type: 'remove' })
    .thenEvents([deleted]);
  given(source, []).when({ type: 'remove' }).thenRefused('not_found');
});

test('enabling brings a tombstone back', () => {
  given(source, [added(true), removed])
    .when({ type: 'enable' })
    .thenEvents([on]);
  const back = fold(source, [added(true), removed, on]);
  assert.is(back.status, 'present');
});

test('switching twice changes nothing, and a tombstone is off already', () => {
  given(source, [added(false)])
    .when({ type: 'enable' })
    .thenEvents([]);
  given(source, [added(false)])
    .when({ type: 'disable' })
    .thenEvents([off]);
  given(source, [added(false), off])
    .when({ type: 'disable' })
    .thenEvents([]);
  given(source, [added(true), removed])
    .when({ type: 'disable' })
    .thenEvents([]);
});

test('a change replaces every setting, a credential reference that is left out included [CATALOG-003]', () => {
  const before: SourceEvent = {
    type: 'SourceAdded',
    payload: { ...identity, ...settings, authReference: 'registry', enabled: false, builtin: false },
  };
  const state = fold(source, [before, { type: 'SourceChanged', payload: { ...settings, name: 'New' } }]);
  assert.equal(state, {
    status: 'present',
    ...identity,
    ...settings,
    name: 'New',
    enabled: false,
    builtin: false,
  } as Source);
});

const build = (url: string): SourceSettings => ({ ...settings, url, policy: { requireSignature: true } });

test('another build moves a shipped library and keeps whether it is on; the same build changes nothing', () => {
  const moved: SourceEvent = { type: 'SourceChanged', payload: build('https://new.test/i.yaml') };
  given(source, [added(true), off])
    .when({ type: 'move', settings: build('https://new.test/i.yaml') })
    .thenEvents([moved]);
  const state = fold(source, [added(true), off, moved]);
  assert.equal([state.status, 'enabled' in state && state.enabled], ['present', false]);
  given(source, [added(true)])
    .when({ type: 'move', settings: build(settings.url) })
    .thenEvents([]);
  assert.is(fold(source, [added(true), removed, moved]).status, 'removed');
});

test.run();
