/** Where the browser of the tests is: the packed headless shell, unpacked once a checkout, and else the system's Chromium. */
import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { ROOT } from './server.js';

const SYSTEM = '/usr/bin/chromium';
const UNPACKED = join(ROOT, 'build/headless-shell');

/**
 * The headless shell draws the same pages as the whole browser for a quarter of its processor time. It needs the
 * libraries that come with the system's browser, and is built for x64 only; where it cannot run, the latter is taken.
 */
export async function findChromium(): Promise<string> {
  if (existsSync(UNPACKED) || (process.arch === 'x64' && (await unpack()))) return UNPACKED;
  if (existsSync(SYSTEM)) return SYSTEM;
  throw new Error(`No Chromium was found: install ${SYSTEM} (Debian: apt-get install chromium).`);
}

/** Unpacks under a name of its own first, since two test files may come here at the same time. */
async function unpack(): Promise<boolean> {
  const module = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const packed = join(dirname(module), '../../bin/chromium.br');
  if (!existsSync(packed)) return false;
  mkdirSync(dirname(UNPACKED), { recursive: true });
  const mine = `${UNPACKED}.${process.pid}`;
  await pipeline(createReadStream(packed), createBrotliDecompress(), createWriteStream(mine, { mode: 0o755 }));
  try {
    execFileSync(mine, ['--version'], { stdio: 'ignore', timeout: 60_000 });
    renameSync(mine, UNPACKED);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}
