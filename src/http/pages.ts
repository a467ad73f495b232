/** Serves the built web page: hashed assets cached for good, every page address answered with the one document. */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Hono } from 'hono';
import { refuse } from '../contract/refusal.js';
import { refusalResponse } from './answers.js';
import { PAGE_POLICY } from './guard/headers.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** One plain file name per segment: no dot segments, no encoded separators, no hidden files. */
const SAFE_PATH = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;

async function fileAt(dir: string, path: string): Promise<{ bytes: Buffer; type: string } | undefined> {
  const type = TYPES[extname(path)];
  if (!SAFE_PATH.test(path) || type === undefined) return undefined;
  try {
    return { bytes: await readFile(join(dir, path)), type };
  } catch {
    return undefined;
  }
}

export function pages(app: Hono, dir: string): void {
  app.get('/', (context) => context.redirect('/app/addons'));
  app.get('*', async (context) => {
    const { path } = context.req;
    const isPage = path === '/app' || path.startsWith('/app/');
    const file = await fileAt(dir, isPage ? '/index.html' : path);
    if (file === undefined) return refusalResponse(context, refuse('not_found', 'There is nothing at this address.'));
    return context.body(new Uint8Array(file.bytes), 200, {
      'Content-Type': file.type,
      'Cache-Control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(isPage ? { 'Content-Security-Policy': PAGE_POLICY } : {}),
    });
  });
  app.notFound((context) => refusalResponse(context, refuse('not_found', 'There is nothing at this address.')));
}
