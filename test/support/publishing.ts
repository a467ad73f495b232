/** What the tests of publishing share: repositories of a real registry, joined layouts, and what a tag names. */
import { join } from 'node:path';
import { isLeft } from '../../src/contract/fp.js';
import { joinLayouts } from '../../src/packages/layout/join.js';
import { type PushInput, pushLayout } from '../../src/packages/release/push.js';
import { registryAccess } from '../../src/packages/release/registry-access.js';
import { type Files, layoutOf, PLAIN } from './layouts.js';
import { realClock } from './packages.js';
import type { RealRegistry } from './registry.js';
import { tempDir } from './temp-dir.js';

/** A joined layout of two platforms. */
export async function joined(
  files: Files = PLAIN,
  changes: { version?: string; revision?: string } = {},
): Promise<string> {
  const parts = [await layoutOf(files, changes), await layoutOf(files, { ...changes, platform: 'linux/arm64' })];
  const out = join(tempDir('joined'), 'out');
  const made = await joinLayouts(parts, out);
  if (isLeft(made)) throw new Error(made.left);
  return out;
}

/** What tests of publishing do to the registry of their file, each in repositories of its own. */
export function publishing(registry: () => RealRegistry) {
  let count = 0;
  const fresh = () => `team/addons-${++count}`;
  const access = (repository: string, environment: Record<string, string> = {}, host = registry().host) => {
    const opened = registryAccess({
      repository: `${host}/${repository}`,
      allowLoopbackHTTP: true,
      environment,
      clock: realClock,
      signal: new AbortController().signal,
    });
    if (isLeft(opened)) throw new Error(opened.left);
    return opened.right;
  };
  const push = async (repository: string, layout: string, name: string, more: Partial<PushInput> = {}) => {
    const pushed = await pushLayout(access(repository), { layout, name, adoptExisting: false, ...more });
    return isLeft(pushed) ? pushed.left : pushed.right;
  };
  const digestAt = async (repository: string, reference: string): Promise<string | undefined> => {
    const accept = 'application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json';
    const answer = await fetch(`${registry().origin}/v2/${repository}/manifests/${reference}`, { headers: { accept } });
    await answer.arrayBuffer();
    return answer.ok ? (answer.headers.get('docker-content-digest') ?? undefined) : undefined;
  };
  return { fresh, access, push, digestAt };
}
