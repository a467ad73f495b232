/** The OpenAPI description of the API, made from the route table (served at `/api/openapi.json`). */
import type { JsonObject } from '../../contract/json.js';
import type { Route } from '../routes/table.js';
import { schemaOf } from './schema.js';

const ERROR: JsonObject = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['type', 'message'],
      properties: {
        type: { type: 'string' },
        message: { type: 'string' },
        code: { type: 'string' },
        operationId: { type: 'string' },
        blockedBy: { type: 'string' },
        retryAfter: { type: 'number', description: 'seconds' },
        state: { type: 'string' },
      },
    },
  },
};

const OWN_SESSION =
  "Only from the person's own browser: a same-origin fetch of this server's page, without any API credential, with X-LocalAI-Confirm naming what is confirmed.";

const toPath = (path: string): string => path.replace(/:([A-Za-z]+)/g, '{$1}');

function parametersOf(route: Route): JsonObject[] {
  const inPath = [...route.path.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(route.query ?? {}).map(([name, description]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: { type: 'string' },
  }));
  return [...inPath, ...inQuery];
}

function operationOf(route: Route): JsonObject {
  const answer: JsonObject = { description: 'Done.' };
  const refused: JsonObject = {
    description: 'Refused; the message says what happened, what did not, and what to do.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
  return {
    summary: route.summary,
    ...(route.ownSession === true ? { description: OWN_SESSION } : {}),
    parameters: parametersOf(route),
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(route.body) } } } }),
    responses: { '2XX': answer, '4XX': refused, '5XX': refused },
  };
}

export function describeApi(routes: readonly Route[], version: string): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    const path = toPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Castellan', version, license: { name: 'Apache-2.0' } },
    paths,
    components: { schemas: { Error: ERROR } },
  };
}
