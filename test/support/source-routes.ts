/** How tests of the sources of a library start an owner with what ships, and ask its routes of administration. */
import { officialLibrary, type ShippedSource } from '../../src/commands/library/shipped.js';
import type { SourceView } from '../../src/contract/api.js';
import { ADMIN, must, type World } from './lifecycle-world.js';

export const OFFICIAL = officialLibrary(undefined, 'http://127.0.0.1:4711/index.yaml') as ShippedSource;
export const release = (tag: string) => officialLibrary(tag, undefined) as ShippedSource;

export const start = async (world: World, first: boolean) =>
  must(await world.store.commit({ changes: must(world.lifecycle.library.sources.startChanges(first)) }));
export const ships =
  (...shipped: ShippedSource[]) =>
  (world: World) => {
    world.options = { ...world.options, shipped };
  };
/** A later start, of another build where that is given. */
export const restart = async (world: World, ...shipped: ShippedSource[]) => {
  if (shipped.length > 0) ships(...shipped)(world);
  must(await world.boot());
  await start(world, false);
};
export const routes = (world: World) => world.lifecycle.administration;
export const list = async (world: World) => must(await routes(world).sources(ADMIN)).sources;
export const one = async (world: World, id: string) =>
  (await list(world)).find((source) => source.id === id) as SourceView;
export const add = async (
  world: World,
  id: string,
  url = `https://${id}.test/i.yaml`,
  kind: SourceView['kind'] = 'addon',
) => routes(world).add(ADMIN, { kind, id, url });
export const catalog = async (world: World, text = '') =>
  world.lifecycle.library
    .search({ text, kind: 'addon', offset: 0, limit: 100 })
    .releases.map(({ sourceId, id }) => `${sourceId}/${id}`);
