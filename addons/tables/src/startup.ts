/** The startup line on descriptor 4: who this process is, what callers must show, and when to end (07, wire.md). */
import { Socket } from 'node:net';
import { isObject, type Json, type JsonObject } from './wire/json.js';
import type { Limits, Registration } from './wire/shapes.js';
import { parseStrict } from './wire/strict-json.js';

export interface Startup {
  readonly registration: Registration;
  readonly credential: string;
  readonly dataDir: string;
  readonly limits: Limits;
}

const MAX_LINE = 1_048_576;

function toStartup(value: Json): Startup {
  const line = value as unknown as Startup;
  const known = isObject(value) && isObject(value.registration as Json) && isObject(value.limits as Json);
  if (!known || typeof line.credential !== 'string' || typeof line.dataDir !== 'string') {
    throw new Error('the startup line is not one');
  }
  if (line.registration.protocol !== 1) throw new Error('this add-on speaks protocol 1 only');
  const wanted: (keyof Limits)[] = [
    'envelopeBytes',
    'payloadBytes',
    'batchSize',
    'queryDepth',
    'queryRows',
    'queryResultBytes',
    'proposalExpiryMs',
    'concurrency',
  ];
  const limits = line.limits as unknown as JsonObject;
  for (const name of wanted) {
    const limit = limits[name];
    if (typeof limit !== 'number' || !(limit > 0)) throw new Error(`the limit ${name} is missing`);
  }
  return line;
}

/** Reads the line and calls `onEnd` when the owner is gone, which is when the descriptor ends. */
export function readStartup(descriptor: number, onEnd: () => void): Promise<Startup> {
  return new Promise((resolve, reject) => {
    const socket = new Socket({ fd: descriptor, readable: true, writable: false });
    let text: string | undefined = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      if (text === undefined) return;
      text += chunk;
      const end = text.indexOf('\n');
      if (end < 0 && text.length <= MAX_LINE) return;
      const parsed = parseStrict(text.slice(0, end < 0 ? MAX_LINE : end));
      text = undefined;
      try {
        if (!parsed.ok) throw new Error(parsed.refusal.message);
        resolve(toStartup(parsed.value));
      } catch (fault) {
        reject(fault);
      }
    });
    socket.on('end', onEnd);
    socket.on('error', onEnd);
    socket.on('close', onEnd);
  });
}
