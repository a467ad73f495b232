/** The mock's proposals: list, get, confirm, cancel, reconcile and resolve, as far as the page can see them. */
import type { ProposalView } from '../../src/contract/api.js';
import { type Call, type Emit, error, type MockState, type Reply } from './mock-state.js';

const SETTLED: readonly string[] = ['applied', 'rejected', 'cancelled', 'expired'];
const UNRESOLVED: readonly string[] = ['executing', 'outcome-unknown', 'abandoned-unknown'];

export function decide(state: MockState, emit: Emit, call: Call): Reply {
  expire(state);
  const [, , , , id, verb] = call.url.pathname.split('/');
  if (id === undefined) return list(state, call.url.searchParams);
  const at = state.proposals.findIndex((entry) => entry.id === id);
  const view = state.proposals[at];
  if (view === undefined) return error(403, 'addon_error', 'The request was denied.', { code: 'denied' });
  if (call.method === 'GET') return { status: 200, body: view };
  const set = (next: ProposalView): Reply => {
    state.proposals[at] = next;
    emit('proposals');
    return { status: 200, body: next };
  };
  const body = (call.body ?? {}) as Record<string, unknown>;
  if (verb === 'confirm' || verb === 'resolve') {
    if (call.headers['x-localai-confirm'] !== id)
      return error(403, 'addon_error', 'The request was denied.', { code: 'denied' });
    if (state.confirmCode !== undefined)
      return error(403, 'addon_error', 'This server asks for the code shown in its terminal.', {
        code: 'confirm_code_required',
      });
    if (body.digest !== view.digest)
      return error(409, 'digest_mismatch', 'The digest is not the one of the stored proposal.');
  }
  if (verb === 'confirm') {
    if (view.state !== 'pending') return closed(view);
    return set({
      ...view,
      state: 'applied',
      receipt: {
        operationId: id,
        state: 'committed',
        revision: { schema: view.revision.schema, data: view.revision.data + 1 },
      },
    });
  }
  if (verb === 'cancel') return view.state === 'pending' ? set({ ...view, state: 'cancelled' }) : closed(view);
  if (verb === 'reconcile') return { status: 200, body: view };
  const resolution = { actorId: 'local-owner', at: new Date().toISOString(), reason: String(body.reason) };
  return set({ ...view, state: 'abandoned-unknown', resolution });
}

function list(state: MockState, query: URLSearchParams): Reply {
  const asked = query.get('state') ?? 'all';
  const fits = (entry: ProposalView) =>
    asked === 'all' ||
    (asked === 'settled'
      ? SETTLED.includes(entry.state)
      : asked === 'unresolved'
        ? UNRESOLVED.includes(entry.state)
        : entry.state === asked);
  const newestFirst = [...state.proposals].sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  return { status: 200, body: { proposals: newestFirst.filter(fits) } };
}

function expire(state: MockState): void {
  const now = new Date(state.now()).toISOString();
  state.proposals = state.proposals.map((entry) =>
    entry.state === 'pending' && entry.expiresAt <= now ? { ...entry, state: 'expired' } : entry,
  );
}

const closed = (view: ProposalView): Reply =>
  error(view.state === 'expired' ? 410 : 409, 'proposal_closed', `This proposal is ${view.state}.`, {
    state: view.state,
  });
