/** Who replaces the built-in tools, made up: nobody, or the two add-ons of a test that both run commands. */
import type { ExecutionView, ToolProvidersView } from '../../src/contract/tool-providers.js';
import { REPLACEABLE } from '../../src/contract/tool-providers.js';

export const nobody = (): ToolProvidersView => ({
  revision: 0,
  tools: REPLACEABLE.map((tool) => ({ tool, candidates: [] })),
});

export const builtinOnly = (): ExecutionView => ({
  status: { readiness: 'unknown', isolation: 'unknown', networkPolicyEnforced: false },
  reason: 'No add-on runs the commands.',
});

/** `tables` and a stopped `notes` replace `bash`, and `tables` serves. */
export function twoProviders(): ToolProvidersView {
  const candidate = { version: '1.0.0', installedAt: '2026-11-01T08:00:00.000Z' };
  const candidates = [
    { addonId: 'tables', ...candidate, stopped: false },
    { addonId: 'notes', ...candidate, stopped: true },
  ];
  const { tools } = nobody();
  return {
    revision: 3,
    tools: tools.map((row) => (row.tool === 'bash' ? { ...row, serving: 'tables', candidates } : row)),
  };
}

export const reported = (isolation: 'isolated' | 'host' | 'unknown', more: object = {}): ExecutionView => ({
  provider: { addonId: 'tables', generation: 1, incarnation: '0'.repeat(32) },
  status: { readiness: 'available', isolation, networkPolicyEnforced: false, ...more },
});
