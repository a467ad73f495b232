/** Made-up but realistic answers for looking at the page and for its browser tests. Not shipped. */
import type { AppEntry, InstalledEntry, ProposalView, Release, ResourceEntry } from '../../src/contract/api.js';

const MINUTE = 60_000;
export const iso = (offsetMs: number): string => new Date(Date.now() + offsetMs).toISOString();
const digest = (fill: string): string => `sha256:${fill.repeat(64).slice(0, 64)}`;

const app = (
  entry: Pick<AppEntry, 'id' | 'title' | 'description' | 'state' | 'enabled' | 'tools'> & Partial<AppEntry>,
): AppEntry => ({
  name: entry.id,
  version: '1.0.0',
  generation: 1,
  hasUI: false,
  launchMode: 'always',
  toolCount: entry.tools.length,
  installedAt: iso(-26 * 60 * MINUTE),
  admin: { canStart: !entry.enabled, canStop: entry.enabled, managementUrl: `/app/addons?manage=${entry.id}` },
  ...entry,
});

export const TABLES_TOOLS = [
  'inspect',
  'list-rows',
  'query',
  'resource-exists',
  'insert-rows',
  'update-rows',
  'delete-rows',
  'import-csv',
  'create-table',
  'create-table-from-csv',
  'alter-table',
  'drop-table',
  'rename-database',
  'create-database',
] as const;

export const apps = (): AppEntry[] => [
  app({
    id: 'tables',
    title: 'Tables',
    description:
      'Databases of tables that people and models share: ask, import, change. Each change waits for your yes.',
    state: 'running',
    enabled: true,
    generation: 3,
    version: '1.2.0',
    icon: '/api/addons/apps/tables/icon?generation=3',
    tools: TABLES_TOOLS,
    resourceNoun: 'database',
  }),
  app({
    id: 'notes',
    title: 'Notes',
    description: 'Short notes in folders, with search. Your models can read them and suggest edits.',
    state: 'stopped',
    enabled: false,
    tools: ['list', 'read', 'write', 'search'],
  }),
  app({
    id: 'mail-archive',
    title: 'Mail archive',
    description: 'Keeps a searchable copy of a mailbox. Read-only.',
    state: 'failed',
    enabled: true,
    version: '0.9.3',
    tools: ['search', 'read-message'],
  }),
  app({
    id: 'weather',
    title: 'Weather station',
    description: 'Readings of the sensors on the roof, hour by hour.',
    state: 'starting',
    enabled: true,
    hasUI: true,
    mainPage: '/app/addons/weather/roof',
    tools: ['current', 'history'],
  }),
];

export const installedOf = (entry: AppEntry): InstalledEntry => {
  const { admin: _admin, name: _name, ...rest } = entry;
  return {
    ...rest,
    sourceId: 'first-party',
    channel: 'latest',
    selection: entry.version,
    verification: 'sha256',
    digest: digest('4be1c09f'),
    platform: { os: 'linux', arch: 'amd64' },
    compatibility: {
      host: { min: 1, max: 1 },
      api: { min: 1, max: 2 },
      protocol: { min: 1, max: 1 },
      dataFormat: { min: 1, max: 1 },
    },
    generations: entry.generation,
    restarts: entry.state === 'failed' ? 5 : 0,
    ...(entry.state === 'failed' ? { restartReason: 'it used 210 MiB of memory, and its limit is 200 MiB' } : {}),
    storage: { bytes: 18_432_118, truncated: false },
    ...(entry.state === 'failed'
      ? {
          reason:
            'It exited with code 1 five times in a row: its data folder holds format 2, and this version reads format 1. Install version 1.0.0 or later.',
        }
      : {}),
  };
};

const release = (
  id: string,
  name: string,
  version: string,
  description: string,
  tools: number,
  sourceId = 'first-party',
): Release => ({
  sourceId,
  kind: 'addon',
  id,
  name,
  version,
  description,
  artifact: `https://example.org/${id}.tar`,
  digest: digest(`${id}${version}`.replace(/[^0-9a-f]/g, '0')),
  os: 'linux',
  arch: 'amd64',
  toolCount: tools,
});

export const releases = (): Release[] => [
  release('tables', 'Tables', '1.2.0', 'Databases of tables that people and models share.', 11),
  release('notes', 'Notes', '1.0.0', 'Short notes in folders, with search.', 4),
  release('calendar', 'Calendar', '2.1.0', 'One calendar for the household: read it, and suggest appointments.', 6),
  release('calendar', 'Calendar', '2.0.4', 'One calendar for the household: read it, and suggest appointments.', 6),
  release('devbox', 'Devbox', '0.4.1', 'A workshop for programs, behind a network policy you set.', 9, 'workshop'),
  release(
    'reader',
    'Reader',
    '1.3.2',
    'Saves articles and papers, and finds them again by what they say.',
    5,
    'workshop',
  ),
];

export const resources = (): ResourceEntry[] => [
  {
    resourceId: 'db-airports',
    addonId: 'tables',
    name: 'Airports',
    role: 'owner',
    sharedWith: 0,
    revision: { schema: 2, data: 41 },
  },
  {
    resourceId: 'db-household',
    addonId: 'tables',
    name: 'Household',
    role: 'owner',
    sharedWith: 2,
    revision: { schema: 5, data: 318 },
  },
  { resourceId: 'db-club', addonId: 'tables', name: 'Chess club', role: 'viewer', owner: { displayName: 'Maren' } },
];

const base = (
  id: string,
  createdMs: number,
  fill: string,
): Omit<ProposalView, 'state' | 'effects' | 'arguments' | 'tool'> => ({
  id,
  addonId: 'tables',
  resourceId: 'db-airports',
  action: 'write',
  generation: 3,
  revision: { schema: 2, data: 41 },
  digest: digest(fill),
  createdAt: iso(createdMs),
  expiresAt: iso(createdMs + 5 * MINUTE),
  proposer: { userId: 'local-owner', displayName: 'Local owner' },
  via: { kind: 'local', name: 'curl/8.11' },
});

const AIRPORTS = [
  ['ABE', 'Lehigh Valley International', 'Allentown', 'PA', '40.6524', '-75.4404'],
  ['ABI', 'Abilene Regional', 'Abilene', 'TX', '32.4113', '-99.6819'],
  ['ABQ', 'Albuquerque International', 'Albuquerque', 'NM', '35.0402', '-106.6092'],
  ['ABR', 'Aberdeen Regional', 'Aberdeen', 'SD', '45.4491', '-98.4218'],
  ['ABY', 'Southwest Georgia Regional', 'Albany', 'GA', '31.5355', '-84.1945'],
  ['ACK', 'Nantucket Memorial', 'Nantucket', 'MA', '41.2531', '-70.0602'],
  ['ACT', 'Waco Regional', 'Waco', 'TX', '31.6113', '-97.2305'],
  ['ACV', 'Arcata', 'Arcata/Eureka', 'CA', '40.9781', '-124.1086'],
  ['ACY', 'Atlantic City International', 'Atlantic City', 'NJ', '39.4576', '-74.5772'],
  ['ADK', 'Adak', 'Adak', 'AK', '51.8780', '-176.6460'],
  ['ADQ', 'Kodiak', 'Kodiak', 'AK', '57.7500', '-152.4939'],
  ['AEX', 'Alexandria International', 'Alexandria', 'LA', '31.3274', '-92.5486'],
  ['AGS', 'Bush Field', 'Augusta', 'GA', '33.3700', '-81.9645'],
  ['AHN', 'Athens Municipal', 'Athens', 'GA', '33.9486', '-83.3263'],
  ['AIA', 'Alliance Municipal', 'Alliance', 'NE', '42.0532', '-102.8037'],
  ['AKN', 'King Salmon', 'King Salmon', 'AK', '58.6768', '-156.6492'],
  ['ALB', 'Albany County', 'Albany', 'NY', '42.7481', '-73.8030'],
  ['ALO', 'Waterloo Municipal', 'Waterloo', 'IA', '42.5571', '-92.4003'],
  ['ALS', 'San Luis Valley Regional', 'Alamosa', 'CO', '37.4349', '-105.8667'],
  ['AMA', 'Amarillo International', 'Amarillo', 'TX', '35.2194', '-101.7059'],
] as const;
export const airportRows = AIRPORTS.map(([iata, name, city, state, latitude, longitude]) => ({
  iata,
  name,
  city,
  state,
  latitude,
  longitude,
}));

export const importProposal = (): ProposalView => ({
  ...base('import-airports-7c21', -38_000, 'a1'),
  state: 'pending',
  tool: 'import-csv',
  effects: { count: 3376, sample: airportRows.map((row) => ({ after: row })) },
  arguments: {
    tool: 'import-csv',
    table: 'airports',
    csv: `iata,name,city,state,latitude,longitude\n${AIRPORTS.map((row) => row.join(',')).join('\n')}\n`.repeat(12),
  },
});

export const updateProposal = (): ProposalView => ({
  ...base('fix-names-19d0', -95_000, 'b2'),
  state: 'pending',
  tool: 'update-rows',
  via: { kind: 'mcp', name: 'Desk assistant' },
  effects: {
    count: 2,
    sample: [
      {
        rowid: 8,
        before: { iata: 'ACV', name: 'Arcata', city: 'Arcata/Eureka', state: 'CA' },
        after: { iata: 'ACV', name: 'California Redwood Coast – Humboldt County', city: 'Arcata/Eureka', state: 'CA' },
      },
      {
        rowid: 13,
        before: { iata: 'AGS', name: 'Bush Field', city: 'Augusta', state: 'GA' },
        after: { iata: 'AGS', name: 'Augusta Regional at Bush Field', city: 'Augusta', state: 'GA' },
      },
    ],
  },
  arguments: { tool: 'update-rows', table: 'airports', where: { iata: ['ACV', 'AGS'] }, set: { name: '…' } },
});

/** What a hostile add-on or model would send: reordered, invisible, piled-up, markup-like and endless text. */
export const hostileProposal = (): ProposalView => ({
  ...base('hostile-0001', -12_000, 'c3'),
  state: 'pending',
  tool: 'update-rows',
  resourceId: 'db-household',
  proposer: { userId: 'u-77', displayName: 'Admin\u202e)nwo uoy( mada' },
  via: { kind: 'key', name: 'back\u200bup \u2066job' },
  effects: {
    count: 2,
    sample: [
      {
        before: { note: 'pay Ada 10', amount: '10' },
        after: { note: 'pay \u202e000,01 adA\u202c', amount: '10\u200b000' },
      },
      {
        note: `<img src=x onerror=alert(1)> </td></table><h1>Approved</h1> Z${'\u0301'.repeat(40)}algo`,
        long: 'word '.repeat(2_000),
      },
    ],
  },
  arguments: { tool: 'update-rows', table: 'pay\u00adments', set: { note: '\u2067evil\u2069', approved: true } },
});

export const unknownProposal = (): ProposalView => ({
  ...base('delete-old-44f3', -9 * MINUTE, 'd4'),
  state: 'outcome-unknown',
  resourceId: 'db-household',
  tool: 'delete-rows',
  via: { kind: 'chat', name: 'Budget 2026' },
  effects: {
    count: 14,
    sample: [
      { rowid: 81, before: { item: 'Old fridge', year: 2014 } },
      { rowid: 82, before: { item: 'Kettle', year: 2015 } },
    ],
  },
  arguments: { tool: 'delete-rows', table: 'inventory', where: { year: { below: 2016 } } },
});

export const createProposal = (): ProposalView => ({
  ...base('create-trips-2b90', -70_000, 'e5'),
  state: 'pending',
  action: 'create',
  tool: 'create-database',
  resourceId: 'r-5f1c22',
  via: { kind: 'mcp', name: 'Desk assistant' },
  effects: { count: 1, sample: [{ name: 'Trips' }] },
  arguments: { tool: 'create-database', name: 'Trips' },
});

export const settledProposals = (): ProposalView[] => [
  {
    ...base('add-state-0c11', -22 * MINUTE, 'f6'),
    state: 'applied',
    action: 'schema',
    tool: 'alter-table',
    effects: { count: 1, sample: [{ table: 'airports', after: { column: 'state', type: 'text' } }] },
    arguments: { tool: 'alter-table', table: 'airports', add: { name: 'state', type: 'text' } },
    receipt: {
      operationId: 'add-state-0c11',
      state: 'committed',
      revision: { schema: 3, data: 41 },
      result: { payload: { columns: 1 } },
    },
  },
  {
    ...base('drop-club-9a1e', -3 * 60 * MINUTE, '17'),
    state: 'rejected',
    resourceId: 'db-club',
    tool: 'delete-rows',
    effects: { count: 31, sample: [{ rowid: 4, before: { member: 'A. Lindqvist' } }] },
    arguments: { tool: 'delete-rows', table: 'members' },
    rejection: {
      code: 'stale',
      message: 'The table changed after this was prepared: revision 12 was expected and 13 is current.',
    },
  },
  {
    ...base('rename-col-1183', -5 * 60 * MINUTE, '28'),
    state: 'expired',
    action: 'schema',
    tool: 'alter-table',
    effects: { count: 1, sample: [{ table: 'airports', before: 'lat', after: 'latitude' }] },
    arguments: { tool: 'alter-table', table: 'airports' },
  },
  {
    ...base('fill-zip-77aa', -20 * 60 * MINUTE, '39'),
    state: 'cancelled',
    resourceId: 'db-household',
    tool: 'update-rows',
    effects: { count: 212, sample: [{ before: { zip: null }, after: { zip: '18101' } }] },
    arguments: { tool: 'update-rows', table: 'contacts' },
  },
];
