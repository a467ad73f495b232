/** Tells whether `dist/` is exactly what a build of the present sources for the present release left there, by content and not by time. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const INPUTS = [
  'src',
  'ui',
  'addons',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.build.json',
];
const STAMP = 'dist/.built';

/** One digest over the names and bytes of files below `paths`, which are relative to `root`. */
function digest(root, paths) {
  const hash = createHash('sha256');
  const add = (path) =>
    hash
      .update(`${path}\0`)
      .update(readFileSync(`${root}${path}`))
      .update('\0');
  for (const path of paths.filter((each) => existsSync(`${root}${each}`)))
    if (path.includes('.json')) add(path);
    else
      for (const entry of readdirSync(`${root}${path}`, { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile() && !each.parentPath.includes('node_modules'))
        .map((each) => `${each.parentPath.slice(root.length)}/${each.name}`)
        .filter((each) => each !== STAMP)
        .sort())
        add(entry);
  return hash.digest('hex');
}

// A build for a release names it in `dist/`, so the same sources make another `dist/` for another release, or for none.
const now = (root) => `${digest(root, INPUTS)} ${digest(root, ['dist'])} ${process.env.CASTELLAN_RELEASE ?? ''}\n`;

export const isFresh = (root) => existsSync(`${root}${STAMP}`) && readFileSync(`${root}${STAMP}`, 'utf8') === now(root);

/** To be called when a build is done. */
export const stamp = (root) => writeFileSync(`${root}${STAMP}`, now(root));
