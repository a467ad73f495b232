/** The calls behind an operation: how each action is sent, and how its status is read. */
import type { OperationStatus } from '../../../src/contract/api.ts';
import { call, dispatch } from './client.ts';

/** A status as it comes while the operation runs: with the phase of the work and the bytes of a download. */
export type TrackedStatus = OperationStatus & {
  readonly progress?:
    | {
        readonly phase?: string | undefined;
        readonly bytes?: number | undefined;
        readonly totalBytes?: number | undefined;
      }
    | undefined;
};

export type Action = 'enable' | 'disable' | 'uninstall' | 'install' | 'upgrade';

export interface Operation {
  readonly addonId: string;
  readonly title: string;
  readonly action: Action;
  readonly operationId: string;
  readonly generation: number;
  readonly arguments?: unknown;
  /** Turned on right after the install is completed. */
  readonly thenEnable?: boolean;
  /**
   * `working`: sent, its end is awaited. `unknown`: reads ended without a final answer, so the person decides.
   * `failed`: final, or refused before anything was sent (`retry`: then the same id is used again).
   */
  readonly phase: 'working' | 'unknown' | 'failed';
  readonly progress?: TrackedStatus['progress'];
  readonly problem?: { readonly title: string; readonly text: string };
  readonly retry?: boolean;
}

/** Turning on waits until the process is ready; the owner has its own, shorter limit. */
const SEND_TIMEOUT_MS = 120_000;

export async function send(operation: Operation): Promise<TrackedStatus> {
  const { action, addonId, operationId, generation } = operation;
  const options = { method: 'POST', timeoutMs: SEND_TIMEOUT_MS } as const;
  if (action === 'enable' || action === 'disable') {
    const route = action === 'enable' ? 'start' : 'stop';
    const body = { operationId, generation };
    const answer = await call<TrackedStatus | { payload: TrackedStatus }>(
      `/api/addons/apps/${encodeURIComponent(addonId)}/${route}`,
      { ...options, body },
    );
    return 'payload' in answer ? answer.payload : answer;
  }
  return dispatch<TrackedStatus>(
    { action, addonId, operationId, generation, arguments: operation.arguments ?? {} },
    { ...options, headers: { prefer: 'respond-async' } },
  );
}

/** The owner knows the operation by its id alone, and refuses this read when it names an add-on. */
export const readStatus = ({ operationId }: Operation): Promise<TrackedStatus> =>
  dispatch<TrackedStatus>({ action: 'operation-status', arguments: { operationId } }, { timeoutMs: 10_000 });
