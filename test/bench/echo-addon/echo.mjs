#!/usr/bin/env node
// An add-on that does next to nothing, so that what the server adds to a read can be seen. It leaves its address and
// credential in its data directory for the bench, which calls it directly as the other side.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Socket } from 'node:net';

let line = '';
const startup = new Socket({ fd: 4, readable: true, writable: false });
startup.setEncoding('utf8');
startup.on('end', () => process.exit(0));
startup.on('data', (text) => {
  line += text;
  if (!line.endsWith('\n')) return;
  const { registration, credential } = JSON.parse(line);
  writeFileSync(
    'where.json',
    JSON.stringify({ endpoint: registration.endpoint, incarnation: registration.incarnation, credential }),
  );
  const health = JSON.stringify(registration);
  const answer = JSON.stringify({ payload: { word: 'hello' } });
  createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('Content-Type', 'application/json');
      response.end(request.url === '/health' ? health : answer);
    });
  }).listen({ fd: 3 });
});
