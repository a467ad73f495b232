/** The dependency arrows of docs/architecture.md, checked: each folder may import only what stands below it. */
const layer = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { path: '^src/', pathNot: `^src/(${[from, ...allowed].join('|')})/` },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    layer('contract-stands-alone', 'contract', []),
    layer('events-on-contract', 'events', ['contract']),
    layer('aggregates-on-events', 'aggregates', ['events', 'contract']),
    layer('projections-on-aggregates', 'projections', ['aggregates', 'events', 'contract']),
    layer('commands-on-projections', 'commands', ['projections', 'aggregates', 'events', 'contract']),
    layer('recovery-on-commands', 'recovery', ['commands', 'projections', 'aggregates', 'events', 'contract']),
    layer('http-on-commands', 'http', ['commands', 'contract']),
    layer('process-through-ports', 'process', ['commands', 'contract']),
    layer('packages-through-ports', 'packages', ['commands', 'contract']),
    {
      name: 'pure-core-has-no-node',
      severity: 'error',
      from: { path: '^src/(aggregates|projections)/' },
      to: { dependencyTypes: ['core'] },
    },
    { name: 'addons-use-the-wire-only', severity: 'error', from: { path: '^addons/' }, to: { path: '^src/' } },
    {
      name: 'ui-uses-the-api-only',
      severity: 'error',
      from: { path: '^ui/' },
      to: { path: '^src/', pathNot: '^src/contract/(api|refusal|(?:addon-limits|tool-providers)\\.ts)' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.json'],
    },
  },
};
