/** The messages of `POST /connector`, both ways, as closed codecs (08:46-109, 08:156-184). */
import { isSafeFileName } from './file-names.js';
import { closed, type Either, explain, left, t } from './fp.js';
import { id, mediaType } from './identifiers.js';
import type { Json } from './json.js';
import { DEFAULT_LIMITS } from './limits.js';
import { parseStrict } from './strict-json.js';

/** The inline cap of one file (08:113-115). */
export const MAX_CONNECTOR_FILE_BYTES = 1_048_576;
const MAX_TEXT = 262_144;
const MAX_REFERENCE = 1_024;

const bounded = (name: string, max: number, min = 0): t.Type<string> =>
  t.refinement(t.string, (value) => value.length >= min && value.length <= max, name) as t.Type<string>;
const whole = (name: string, min: number, max: number): t.Type<number> =>
  t.refinement(
    t.number,
    (value) => Number.isSafeInteger(value) && value >= min && value <= max,
    name,
  ) as t.Type<number>;

const text = bounded('text', MAX_TEXT);
const reference = bounded('reference', MAX_REFERENCE, 1);
/** A platform's own place in its updates: kept with the binding and passed back as it came (08:160-162). */
const offset = t.union([bounded('offset', MAX_REFERENCE), whole('offset', 0, Number.MAX_SAFE_INTEGER)], 'offset');
const json = t.unknown as t.Type<unknown> as t.Type<Json>;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes that strict base64 stands for; undefined when it is not that. */
export function base64Bytes(value: string): number | undefined {
  if (value.length % 4 !== 0 || !BASE64.test(value)) return undefined;
  return (value.length / 4) * 3 - (value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0);
}

const data = t.refinement(
  t.string,
  (value) => {
    if (value.length > (MAX_CONNECTOR_FILE_BYTES / 3) * 4 + 4) return false;
    const size = base64Bytes(value);
    return size !== undefined && size >= 1 && size <= MAX_CONNECTOR_FILE_BYTES;
  },
  'base64 of 1 byte to 1 MiB',
) as t.Type<string>;

/** A file that travels inline: its name must be safe as it is. */
const file = closed('file', {
  name: t.refinement(t.string, isSafeFileName, 'safe file name') as t.Type<string>,
  mime: mediaType,
  data,
});

const head = { kind: id, token: bounded('token', 4_096, 1) };
const options = t.refinement(
  t.record(t.string, t.string),
  (map) =>
    Object.entries(map).length <= 4 &&
    Object.entries(map).every(([key, value]) => key.length <= 64 && value.length <= 64),
  'options',
);

/** What the host asks, by op; each is closed. */
export const connectorRequests = {
  poll: closed(
    'poll',
    { op: t.literal('poll'), ...head, timeoutSeconds: whole('seconds up to 25', 0, 25) },
    { offset, options },
  ),
  send: closed(
    'send',
    { op: t.literal('send'), ...head, chat: reference, text },
    { thread: reference, messageId: reference },
  ),
  edit: closed('edit', { op: t.literal('edit'), ...head, chat: reference, messageId: reference, text }),
  typing: closed(
    'typing',
    { op: t.literal('typing'), ...head, chat: reference },
    { thread: reference, messageId: reference },
  ),
  send_file: closed('send_file', { op: t.literal('send_file'), ...head, chat: reference, file }, { thread: reference }),
  me: closed('me', { op: t.literal('me'), ...head }),
  media: closed('media', { op: t.literal('media'), ...head, media: json }),
  draft: closed(
    'draft',
    {
      op: t.literal('draft'),
      ...head,
      chat: reference,
      draftId: whole('draft id from 1', 1, Number.MAX_SAFE_INTEGER),
      text,
    },
    { thread: reference },
  ),
  history: closed('history', {
    op: t.literal('history'),
    ...head,
    chat: reference,
    thread: reference,
    limit: whole('limit', 1, 200),
    before: reference,
  }),
} as const;

export type ConnectorOp = keyof typeof connectorRequests;

const atMost = <C extends t.Mixed>(codec: C, max: number, name: string) =>
  t.refinement(t.readonlyArray(codec), (list) => list.length <= max, name);

const update = closed(
  'update',
  { chat: reference },
  {
    cursor: offset,
    thread: reference,
    direct: t.boolean,
    mention: t.boolean,
    messageId: reference,
    replyTo: reference,
    senderId: reference,
    senderName: bounded('name', MAX_REFERENCE),
    senderUsername: bounded('name', MAX_REFERENCE),
    text,
    unsupported: t.boolean,
    media: atMost(json, 8, 'at most 8 media references'),
    roles: atMost(id, 8, 'at most 8 roles'),
    skip: t.boolean,
  },
);

const historyMessage = closed(
  'history message',
  { messageId: reference },
  {
    senderId: reference,
    senderName: bounded('name', MAX_REFERENCE),
    senderUsername: bounded('name', MAX_REFERENCE),
    text,
    ts: bounded('time', 64),
    own: t.boolean,
    media: whole('number of files', 0, 1_000),
    mediaNames: atMost(bounded('name', 256), 8, 'at most 8 names'),
  },
);

const failure = closed('failure', {
  error: closed(
    'error',
    {
      code: t.keyof(
        { unauthorized: null, conflict: null, rate_limited: null, too_large: null, failed: null },
        'error code',
      ),
    },
    { retryAfter: whole('seconds', 0, 86_400), message: bounded('message', MAX_REFERENCE) },
  ),
});

const done = closed(
  'answer',
  {},
  {
    updates: atMost(update, 1_000, 'at most 1000 updates'),
    nextOffset: offset,
    messageId: reference,
    botId: reference,
    botUsername: bounded('name', MAX_REFERENCE),
    file,
  },
);

/** `messages` oldest first; how many may come back is the `limit` that was asked for (08:65-72). */
const history = closed('history', {
  messages: atMost(historyMessage, 200, 'at most 200 messages'),
  truncated: t.boolean,
});

export type ConnectorAnswer = t.TypeOf<typeof done>;
export type ConnectorHistory = t.TypeOf<typeof history>;
export type ConnectorFailure = t.TypeOf<typeof failure>;

function decode<A>(body: Uint8Array | string, codec: t.Type<A>): Either<string, A | ConnectorFailure> {
  const parsed = parseStrict(body, { maxBytes: DEFAULT_LIMITS.envelopeBytes });
  if (parsed._tag === 'Left') return left(parsed.left.message.replace(/\.$/, ''));
  const { right: value } = parsed;
  const failed = typeof value === 'object' && value !== null && 'error' in value;
  const decoded: t.Validation<A | ConnectorFailure> = failed ? failure.decode(value) : codec.decode(value);
  return decoded._tag === 'Left' ? left(explain(decoded.left)) : decoded;
}

/** The answer to any op but `history`. */
export const decodeConnectorAnswer = (body: Uint8Array | string): Either<string, ConnectorAnswer | ConnectorFailure> =>
  decode(body, done);

/** The answer to `history`; more messages than were asked for is no answer. */
export function decodeConnectorHistory(
  body: Uint8Array | string,
  limit: number,
): Either<string, ConnectorHistory | ConnectorFailure> {
  const decoded = decode(body, history);
  if (decoded._tag === 'Right' && 'messages' in decoded.right && decoded.right.messages.length > limit)
    return left('it holds more messages than were asked for');
  return decoded;
}

/** The roles a message may carry: those its kind declares, and none for a kind that declares none (08:43). */
export const declaredRoles = (sent: readonly string[], declared: readonly string[]): readonly string[] =>
  sent.filter((role) => declared.includes(role));
