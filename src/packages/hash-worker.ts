/** Hashes what it is sent, in order, gives each buffer back, and answers the SHA-256 when it is asked for. */
import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

const hash = createHash('sha256');

parentPort?.on('message', (message: { readonly buffer: ArrayBuffer; readonly length: number } | 'digest') => {
  if (message === 'digest') return parentPort?.postMessage(hash.digest('hex'));
  hash.update(new Uint8Array(message.buffer, 0, message.length));
  return parentPort?.postMessage(message.buffer, [message.buffer]);
});
