/** `castellan run`: opens the owner, listens, says when it is ready, and drains on SIGTERM. */
import type { Hono } from 'hono';
import type { OwnerGateway } from '../commands/gateway.js';
import { isLeft } from '../contract/fp.js';
import { createApp } from '../http/app.js';
import { ConfirmCodes } from '../http/guard/confirm-code.js';
import { type Listening, listen } from '../http/server.js';
import { StreamSlots } from '../http/streams.js';
import { type Control, serveControl } from './control/server.js';
import { hostGrantsOf } from './host-policy.js';
import type { RunOptions } from './options.js';
import { originsOf } from './origins.js';
import { type OpenOwner, openOwner } from './owner.js';
import { createLog, systemClock, systemIds } from './system.js';
import { readTls } from './tls-files.js';

const DRAIN_MS = 10_000;
const UI_DIR = new URL('../ui', import.meta.url).pathname;

const STARTING = {
  notReady: () => ({ code: 'starting', message: 'The server is replaying its journal. Try again in a moment.' }),
} as Pick<OwnerGateway, 'notReady'> as OwnerGateway;

const WITHOUT_CODE =
  'callers are not authenticated and share one authority; any caller that can reach the port can propose changes and confirm them';
const WITH_CODE =
  'callers are not authenticated and share one authority; any caller that can reach the port can propose changes, and confirming needs the code shown in this terminal';

/** Resolves with the exit code once the server has stopped. */
export async function run(options: RunOptions, build: string): Promise<number> {
  const log = createLog(options.logLevel);
  const stop = stopSignal();
  let owner: OpenOwner | undefined;
  let listening: Listening | undefined;
  let control: Control | undefined;
  const streams = new StreamSlots();
  const tls = options.tls === undefined ? undefined : readTls(options.tls);
  if (tls !== undefined && isLeft(tls)) {
    console.error(tls.left);
    return 2;
  }
  try {
    const granted = await hostGrantsOf(options.hostOps, log);
    if (isLeft(granted)) {
      console.error(granted.left);
      return 1;
    }
    const opened = await openOwner({
      dataPath: options.dataPath,
      log,
      officialLibrary: options.officialLibrary,
      hostGrants: granted.right,
      officialLibraries: options.officialLibraries,
      backends: options.backends,
      ...(options.credentialsPath === undefined ? {} : { credentialsPath: options.credentialsPath }),
      ...(options.trustedRootPath === undefined ? {} : { trustedRootPath: options.trustedRootPath }),
      build,
    });
    if (isLeft(opened)) {
      console.error(opened.left);
      return 1;
    }
    owner = opened.right;
    let gateway = STARTING;
    listening = await listen(
      appOf(options, build, log, streams, () => gateway),
      {
        host: options.host,
        port: options.port,
        hosts: {
          allowedHosts: new Set([
            ...options.allowedHosts,
            // A URL keeps the brackets of an IPv6 address, which are no part of the name.
            ...(options.externalUrl ? [options.externalUrl.hostname.replace(/^\[|\]$/g, '')] : []),
          ]),
        },
        ...(tls === undefined ? {} : { tls: tls.right }),
      },
    );
    control = await serveControl(owner.runtimeDir, owner.commands, (error) =>
      log.error({ err: error }, 'a command of the control socket failed'),
    );
    await owner.start();
    gateway = owner.gateway;
    log.warn({}, `local-owner mode: ${options.localConfirmCode ? WITH_CODE : WITHOUT_CODE}`);
    log.info({ address: listening.address }, 'ready');
    await stop;
    log.info({}, 'stopping');
    await control.close();
    control = undefined;
    streams.endAll();
    await listening.close(DRAIN_MS);
    listening = undefined;
    return 0;
  } catch (error) {
    console.error(`The server cannot start: ${reasonOf(error, options)}`);
    return 1;
  } finally {
    await control?.close();
    await listening?.close(0);
    await owner?.close();
  }
}

function reasonOf(error: unknown, { host, port }: RunOptions): string {
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
    return `another program listens on ${host}:${port}. Choose another address with --address HOST:PORT.`;
  return error instanceof Error ? error.message : String(error);
}

function appOf(
  options: RunOptions,
  version: string,
  log: ReturnType<typeof createLog>,
  streams: StreamSlots,
  gateway: () => OwnerGateway,
): Hono {
  const announce = (code: string) =>
    process.stderr.write(`\nTo confirm changes in this server's page, enter the code  ${code}\n\n`);
  const codes = options.localConfirmCode
    ? new ConfirmCodes(
        systemClock,
        systemIds,
        announce,
        options.tls !== undefined || options.externalUrl?.protocol === 'https:',
      )
    : undefined;
  return createApp({
    get gateway() {
      return gateway();
    },
    clock: systemClock,
    ids: systemIds,
    log,
    streams,
    version,
    origins: originsOf(options),
    uiDir: UI_DIR,
    ...(codes === undefined ? {} : { codes }),
  });
}

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = () => {
      if (asked) process.exit(130);
      asked = true;
      resolve();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
