import { closed, t } from '../../../src/contract/fp.js';
import { RESERVED_ADDON_IDS } from '../../../src/contract/manifest/document.js';
import { schemaOf } from '../../../src/http/openapi/schema.js';
import { ROUTES } from '../../../src/http/routes/index.js';
import { segmentsUnderAddons } from '../../../src/http/routes/table.js';
import { assert, suite } from '../../support/harness.js';
import { httpFixture, ORIGIN } from '../../support/http.js';

const test = suite('the route table');

interface Described {
  readonly requestBody?: {
    readonly content: Record<
      string,
      { readonly schema: { readonly type: string; readonly additionalProperties: boolean } }
    >;
  };
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly summary: string;
}
const description = async () => {
  const { app } = httpFixture();
  const response = await app.request(`${ORIGIN}/api/openapi.json`);
  assert.is(response.status, 200);
  return (await response.json()) as { openapi: string; paths: Record<string, Record<string, Described>> };
};

test('no add-on id can take a route: every segment served under /api/addons/ is reserved [MANIFEST-074]', () => {
  const served = segmentsUnderAddons(ROUTES);
  assert.ok(served.has('apps') && served.has('dispatch'));
  for (const segment of served) assert.ok(RESERVED_ADDON_IDS.includes(segment), segment);
});

test('every route the application has is in the description, with its path parameters', async () => {
  const { app } = httpFixture();
  const { openapi, paths } = await description();
  assert.match(openapi, /^3\.1\./);
  const served = app.routes.filter(
    ({ path, method }) => /^\/(?:api|backends)\//.test(path) && method !== 'ALL' && !path.includes('*'),
  );
  assert.ok(served.length >= ROUTES.length);
  for (const { path, method } of served) {
    const described = paths[path.replace(/:([A-Za-z]+)/g, '{$1}')]?.[method.toLowerCase()];
    assert.ok(described !== undefined && described.summary !== '', `${method} ${path}`);
    const named = [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => name);
    assert.equal(
      described.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
      named,
    );
  }
});

test('every mutation says what its body is, and that nothing else may be in it', async () => {
  const { paths } = await description();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { requestBody }] of Object.entries(methods)) {
      if (method === 'get') continue;
      const schema = requestBody?.content['application/json']?.schema;
      assert.is(schema?.type, 'object', path);
      assert.is(schema?.additionalProperties, false, path);
    }
});

test('a schema is what the codec says, and a codec it cannot describe is a fault', () => {
  const codec = closed('thing', { name: t.string, kind: t.keyof({ a: null, b: null }) }, { size: t.number });
  assert.equal(schemaOf(codec), {
    type: 'object',
    title: 'thing',
    properties: { name: { type: 'string' }, kind: { enum: ['a', 'b'] }, size: { type: 'number' } },
    required: ['name', 'kind'],
    additionalProperties: false,
  });
  assert.throws(() => schemaOf(t.tuple([t.string])));
});
test.run();
