/**
 * What the person asked of each add-on, until it is final (12:334-344): one fresh operation id an action, kept for its
 * retries; after an unknown outcome only the status of that operation is read and nothing is sent a second time.
 */
import { useSyncExternalStore } from 'react';
import { announce } from '../app/announce.tsx';
import { type ApiError, asApiError, newOperationId } from './client.ts';
import { apps, installed } from './lists.ts';
import { type Action, type Operation, readStatus, send, type TrackedStatus } from './operation-calls.ts';
import { followProgress } from './operation-progress.ts';

export type { Action, Operation };

import { wordsFor } from './words.ts';

type Start = Pick<Operation, 'addonId' | 'title' | 'action' | 'generation'> &
  Partial<Pick<Operation, 'arguments' | 'thenEnable'>>;

const KEY = 'castellan.operations';
const FIRST_READ_MS = 400;
const SLOWEST_READ_MS = 3_000;
/** Reads go on for this long after the last sign of progress, then the person is asked. */
const PATIENCE_MS = 60_000;

let operations: ReadonlyMap<string, Operation> = new Map();
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

function put(addonId: string, operation: Operation | undefined): void {
  const next = new Map(operations);
  if (operation === undefined) next.delete(addonId);
  else next.set(addonId, operation);
  operations = next;
  try {
    // A reload goes on reading the same operations instead of forgetting what was asked.
    sessionStorage.setItem(KEY, JSON.stringify([...next.values()].filter(({ phase }) => phase !== 'failed')));
  } catch {
    // Without storage a reload forgets; the owner does not.
  }
  for (const listener of listeners) listener();
}

export const useOperation = (addonId: string): Operation | undefined =>
  useSyncExternalStore(subscribe, () => operations.get(addonId));
export const useOperations = (): ReadonlyMap<string, Operation> => useSyncExternalStore(subscribe, () => operations);

/** Starts an action, unless one on the same add-on is not final yet. */
export function startOperation(start: Start): void {
  const before = operations.get(start.addonId);
  if (before !== undefined && before.phase !== 'failed') return;
  const same = before?.retry === true && before.action === start.action && before.generation === start.generation;
  const operationId = same ? before.operationId : newOperationId(start.action);
  const operation: Operation = { ...start, operationId, phase: 'working' };
  put(start.addonId, operation);
  announce(`${doing(start.action)} ${start.title}…`);
  void run(operation);
}

/** Asks again: the same operation when nothing of it was recorded, else a new one for the add-on as it is listed now. */
export function retryOperation(operation: Operation): void {
  const { addonId, title, action, thenEnable } = operation;
  const listed = apps.snapshot().data?.find(({ id }) => id === addonId)?.generation;
  const generation = operation.retry === true ? operation.generation : (listed ?? operation.generation);
  startOperation({
    addonId,
    title,
    action,
    generation,
    ...(operation.arguments === undefined ? {} : { arguments: operation.arguments }),
    ...(thenEnable === undefined ? {} : { thenEnable }),
  });
}
export const dismissOperation = (addonId: string): void => put(addonId, undefined);

/** One more read of the same operation (12:339-342). */
export async function checkOperation(operation: Operation): Promise<void> {
  put(operation.addonId, { ...operation, phase: 'working' });
  await settleByStatus(operation, 0);
}

async function run(operation: Operation): Promise<void> {
  try {
    const status = await send(operation);
    await take(operation, status);
  } catch (thrown) {
    const error = asApiError(thrown);
    if (error.outcomeUnknown) await settleByStatus(operation, PATIENCE_MS);
    else fail(operation, error);
  }
}

/** Acts on a status; answers whether it was final. */
async function take(operation: Operation, status: TrackedStatus): Promise<boolean> {
  if (status.state === 'failed') {
    const { type = 'failed', message = 'It failed.' } = status.error ?? {};
    finishFailed(operation, wordsFor({ status: 0, detail: { type, message } } as ApiError), false);
    return true;
  }
  if (status.state === 'completed') {
    await complete(operation, status);
    return true;
  }
  put(operation.addonId, { ...operation, phase: 'working', progress: status.progress });
  await settleByStatus(operation, PATIENCE_MS);
  return true;
}

async function settleByStatus(operation: Operation, patienceMs: number): Promise<void> {
  const left = new AbortController();
  let heard: TrackedStatus['progress'];
  // Only these two bring bytes from elsewhere.
  if (patienceMs > 0 && (operation.action === 'install' || operation.action === 'upgrade'))
    void followProgress(operation.operationId, left.signal, (progress) => {
      if (progress === undefined || operations.get(operation.addonId)?.operationId !== operation.operationId) return;
      heard = progress;
      put(operation.addonId, { ...operation, phase: 'working', progress });
    });
  try {
    await readUntilFinal(operation, patienceMs, () => heard);
  } finally {
    left.abort();
  }
}

async function readUntilFinal(
  operation: Operation,
  patienceMs: number,
  heard: () => TrackedStatus['progress'],
): Promise<void> {
  let wait = FIRST_READ_MS;
  let last = '';
  let deadline = Date.now() + patienceMs;
  do {
    if (patienceMs > 0) await new Promise((wake) => setTimeout(wake, wait));
    const status = await readStatus(operation).catch(() => undefined);
    if (status?.state === 'completed' || status?.state === 'failed') {
      await take(operation, status);
      return;
    }
    const progress = status?.progress ?? heard();
    const sign = JSON.stringify([status?.state, progress]);
    if (status !== undefined && sign !== last) {
      deadline = Date.now() + patienceMs;
      put(operation.addonId, { ...operation, phase: 'working', progress });
      wait = FIRST_READ_MS;
    } else wait = Math.min(SLOWEST_READ_MS, wait * 1.5);
    last = sign;
  } while (Date.now() < deadline);
  put(operation.addonId, { ...operation, phase: 'unknown' });
  announce(`It is not known yet whether ${doing(operation.action).toLowerCase()} ${operation.title} worked.`);
}

async function complete(operation: Operation, status: TrackedStatus): Promise<void> {
  if (operation.action === 'install' && operation.thenEnable === true) {
    const { addonId, title } = operation;
    put(addonId, undefined);
    startOperation({ addonId, title, action: 'enable', generation: status.generation });
    return;
  }
  await Promise.all([apps.refresh(), installed.refresh()]);
  if (changed(operation)) {
    put(operation.addonId, undefined);
    announce(`${operation.title}: ${done(operation.action)}.`);
    return;
  }
  // The owner answers a replayed operation with its old status and applies nothing (12:342-344).
  finishFailed(
    operation,
    { title: 'Nothing changed', text: 'The operation is completed, but the add-on is still as it was. Try it again.' },
    false,
  );
}

function changed({ action, addonId }: Operation): boolean {
  const entry = apps.snapshot().data?.find(({ id }) => id === addonId);
  if (apps.snapshot().error !== undefined) return true;
  if (action === 'enable') return entry?.enabled === true;
  if (action === 'disable') return entry?.enabled !== true;
  return action === 'uninstall' ? entry === undefined : entry !== undefined;
}

function fail(operation: Operation, error: ApiError): void {
  // Refused before anything was recorded: busy or not available. The same id stays for the retry of this one action.
  finishFailed(operation, wordsFor(error), error.status === 503 || error.status === 429);
}

function finishFailed(operation: Operation, problem: { title: string; text: string }, retry: boolean): void {
  put(operation.addonId, { ...operation, phase: 'failed', problem, retry, progress: undefined });
  announce(`${operation.title}: ${problem.title}.`);
  void apps.refresh();
  if (installed.watched) void installed.refresh();
}

/** Takes up what an earlier load of this tab left unfinished. */
export function resumeOperations(): void {
  let stored: unknown;
  try {
    stored = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
  } catch {
    return;
  }
  for (const operation of (Array.isArray(stored) ? stored : []) as Operation[]) {
    if (typeof operation?.addonId !== 'string' || typeof operation.operationId !== 'string') continue;
    put(operation.addonId, operation);
    if (operation.phase === 'working') void settleByStatus(operation, PATIENCE_MS);
  }
}

const DOING: Readonly<Record<Action, string>> = {
  enable: 'Turning on',
  disable: 'Turning off',
  uninstall: 'Removing',
  install: 'Installing',
  upgrade: 'Updating',
};
const DONE: Readonly<Record<Action, string>> = {
  enable: 'turned on',
  disable: 'turned off',
  uninstall: 'removed',
  install: 'installed',
  upgrade: 'updated',
};
export const doing = (action: Action): string => DOING[action];
export const done = (action: Action): string => DONE[action];
