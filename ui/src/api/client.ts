/** The one door to the server: same-origin JSON calls with a deadline, and every failure as one kind of value. */
import type { DispatchResult } from '../../../src/contract/api.ts';
import type { ErrorBody } from '../../../src/contract/refusal.ts';

type ErrorFields = ErrorBody['error'];

/** A failure in words the page can show. `kind` says whether the server refused, did not answer, or was left on purpose. */
export class ApiError extends Error {
  constructor(
    readonly kind: 'refused' | 'network' | 'aborted',
    readonly status: number,
    readonly detail: ErrorFields,
  ) {
    super(detail.message);
  }

  get type(): string {
    return this.detail.type;
  }

  get code(): string | undefined {
    return this.detail.code;
  }

  /** Whether the change may have happened although no answer says so (wire, "Errors"). */
  get outcomeUnknown(): boolean {
    return this.kind === 'network' || this.type === 'outcome_unknown';
  }
}

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 45_000;

/** How far the server's clock is ahead of this one, in milliseconds; times that the server set are judged by its clock. */
let skewMs = 0;
export const serverNow = (): number => Date.now() + skewMs;

function learnClock(response: Response, sentAt: number): void {
  const date = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(date)) return;
  // The header has whole seconds; a difference within that and the way there is no difference.
  const ahead = date + 500 - (sentAt + Date.now()) / 2;
  skewMs = Math.abs(ahead) < 2_000 ? 0 : ahead;
}

function failure(status: number, text: string): ApiError {
  try {
    const parsed = JSON.parse(text) as Partial<ErrorBody>;
    if (parsed.error !== undefined && typeof parsed.error.message === 'string') {
      return new ApiError('refused', status, parsed.error);
    }
  } catch {
    // Something between the page and the server answered with its own page; its text is not shown.
  }
  return new ApiError('refused', status, { type: 'unexpected', message: `The server answered with status ${status}.` });
}

/** Sends one call. Rejects with an {@link ApiError} and nothing else. */
export async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  const sentAt = Date.now();
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, {
      method: options.method ?? 'GET',
      headers,
      signal,
      cache: 'no-store',
      credentials: 'same-origin',
      mode: 'same-origin',
      redirect: 'error',
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    learnClock(response, sentAt);
    text = await response.text();
  } catch {
    const left = options.signal?.aborted === true;
    throw new ApiError(left ? 'aborted' : 'network', 0, { type: 'network', message: 'The server did not answer.' });
  }
  if (!response.ok) throw failure(response.status, text);
  if (text === '') return undefined as T;
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new ApiError('refused', response.status, { type: 'unexpected', message: 'The answer could not be read.' });
  }
}

export interface DispatchRequest {
  readonly action: string;
  readonly addonId?: string;
  readonly resourceId?: string;
  readonly operationId?: string;
  readonly generation?: number;
  readonly arguments?: unknown;
}

/** A contract request over `POST /api/addons/dispatch` (12, "Management actions"); answers the payload. */
export async function dispatch<T>(request: DispatchRequest, options: CallOptions = {}): Promise<T> {
  const { addonId, resourceId, action } = request;
  const result = await call<DispatchResult>('/api/addons/dispatch', {
    ...options,
    method: 'POST',
    body: {
      ...(addonId === undefined ? {} : { addonId }),
      ...(resourceId === undefined ? {} : { resourceId }),
      operationId: request.operationId ?? newOperationId('read'),
      generation: request.generation ?? 0,
      action,
      arguments: request.arguments ?? {},
    },
  });
  return result.payload as T;
}

/** A fresh operation id of the form `[a-z][a-z0-9-]{0,63}`. */
export function newOperationId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `${prefix}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

export const asApiError = (thrown: unknown): ApiError =>
  thrown instanceof ApiError
    ? thrown
    : new ApiError('refused', 0, { type: 'unexpected', message: 'Something in the page went wrong. Reload it.' });
