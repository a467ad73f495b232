import {
  type Generation,
  type InstallationCommand,
  type InstallationEvent,
  installation,
  sameIdentity,
} from '../../../src/aggregates/installation.js';
import { fold, given, recorded } from '../../support/fold.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('installation aggregate');

const digest = `sha256:${'2'.repeat(64)}`;

function pack(extra: Partial<Generation> = {}): Omit<Generation, 'generation'> {
  const { generation, ...rest } = {
    generation: 0,
    version: '1.0.0',
    directory: 'demo-1',
    sourceId: 'lib',
    sourceIdentity: 'https://lib.test/index.yaml',
    channel: 'latest',
    selection: 'latest',
    artifact: 'https://lib.test/demo.tar',
    digest,
    verification: 'sha256' as const,
    os: 'linux',
    arch: 'amd64',
    manifestDigest: digest,
    manifest: '{}',
    ...extra,
  };
  return rest;
}

const published = (generation: number, extra: Partial<Generation> = {}): InstallationEvent => ({
  type: 'PackagePublished',
  payload: { ...pack(extra), generation },
});
const installed = (generation: number): InstallationEvent => ({ type: 'GenerationInstalled', payload: { generation } });
const enabled: InstallationEvent = { type: 'AddonEnabled', payload: {} };
const disabled: InstallationEvent = { type: 'AddonDisabled', payload: {} };
const uninstalled: InstallationEvent = { type: 'AddonUninstalled', payload: {} };

const publish = (
  purpose: 'install' | 'upgrade',
  dataRetained = false,
  extra: Partial<Generation> = {},
): InstallationCommand => ({ type: 'publish', purpose, package: pack(extra), dataRetained });

test('the first package becomes generation 1', () => {
  given(installation, [])
    .when(publish('install'))
    .thenEvents([published(1)]);
  given(installation, [published(1)])
    .when({ type: 'install', generation: 1 })
    .thenEvents([installed(1)]);
});

test('generations only grow: a failed upgrade and an uninstall spend their numbers', () => {
  const history = [published(1), installed(1), published(2)];
  given(installation, history)
    .when(publish('upgrade', true))
    .thenEvents([published(3)]);
  given(installation, [...history, uninstalled])
    .when(publish('install'))
    .thenEvents([published(3)]);
});

test('only the generation that was published last can be installed', () => {
  given(installation, [published(1), published(2)])
    .when({ type: 'install', generation: 1 })
    .thenRefused('denied');
  given(installation, [published(1), installed(1)])
    .when({ type: 'install', generation: 1 })
    .thenRefused('denied');
});

test('what is installed cannot be installed again, and what is not cannot be upgraded', () => {
  given(installation, [published(1), installed(1)])
    .when(publish('install'))
    .thenRefused('denied');
  given(installation, []).when(publish('upgrade')).thenRefused('denied');
  given(installation, [published(1), installed(1), uninstalled])
    .when(publish('upgrade'))
    .thenRefused('denied');
});

test('enable, disable and uninstall need an installation and do nothing twice', () => {
  for (const type of ['enable', 'disable', 'uninstall'] as const) {
    given(installation, []).when({ type }).thenRefused('denied');
    given(installation, [published(1), installed(1), uninstalled])
      .when({ type })
      .thenRefused('denied');
  }
  const on = [published(1), installed(1), enabled];
  given(installation, on).when({ type: 'enable' }).thenEvents([]);
  given(installation, on).when({ type: 'disable' }).thenEvents([disabled]);
  given(installation, [published(1), installed(1)])
    .when({ type: 'disable' })
    .thenEvents([]);
  given(installation, on).when({ type: 'uninstall' }).thenEvents([uninstalled]);
});

test('an uninstall clears installed and enabled and keeps identity and numbers [LIFECYCLE-033]', () => {
  const state = fold(installation, [published(1), installed(1), enabled, uninstalled]);
  assert.is(state.status, 'uninstalled');
  assert.is(state.enabled, false);
  assert.is(state.current?.sourceId, 'lib');
  assert.is(state.lastGeneration, 1);
  assert.is(state.generations, 1);
});

test('the time of the install survives upgrades and not a reinstall', () => {
  const first = recorded([published(1), installed(1)], { at: '2026-01-01T00:00:00.000Z' });
  const second = recorded([published(2), installed(2)], { at: '2026-02-02T00:00:00.000Z' });
  const gone = recorded([uninstalled], { at: '2026-02-03T00:00:00.000Z' });
  const third = recorded([published(3), installed(3)], { at: '2026-03-03T00:00:00.000Z' });
  const at = (events: readonly (typeof first)[number][]) =>
    events.reduce(installation.evolve, installation.initial).installedAt;
  assert.is(at([...first, ...second]), '2026-01-01T00:00:00.000Z');
  assert.is(at([...first, ...second, ...gone, ...third]), '2026-03-03T00:00:00.000Z');
});

const OTHERS: readonly Partial<Generation>[] = [
  { sourceId: 'other' },
  { sourceIdentity: 'https://moved.test/index.yaml' },
  { channel: 'development' },
  { verification: 'sha256+sigstore', signer: { issuer: 'i', identity: 's' } },
];

test('an upgrade from another source, address, channel, verification or signer is refused', () => {
  for (const other of OTHERS)
    given(installation, [published(1), installed(1)])
      .when(publish('upgrade', true, other))
      .thenRefused('identity_changed');
  const signed = { verification: 'sha256+sigstore', signer: { issuer: 'i', identity: 's' } } as const;
  const thief = { ...signed, signer: { issuer: 'i', identity: 'thief' } };
  given(installation, [published(1, signed), installed(1)])
    .when(publish('upgrade', true, thief))
    .thenRefused('identity_changed');
});

test('a reinstall over retained data keeps the trusted identity; without data it is free', () => {
  const history = [published(1), installed(1), uninstalled];
  for (const other of OTHERS) {
    given(installation, history)
      .when(publish('install', true, other))
      .thenRefused('identity_changed');
    given(installation, history)
      .when(publish('install', false, other))
      .thenEvents([published(2, other)]);
  }
  given(installation, history)
    .when(publish('install', true))
    .thenEvents([published(2)]);
});

test('a package without a channel has no channel to change from', () => {
  const unlabelled = { ...pack({ channel: '' }) };
  assert.ok(sameIdentity(unlabelled, pack()));
  assert.ok(sameIdentity(pack(), unlabelled));
});

test.run();
