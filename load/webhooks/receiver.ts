import { createServer, type ServerResponse } from 'node:http';
import { tellStarter } from '../../src/platform/http/listen.ts';

/*
 * Receivers of a load run, as one process that does as little as it can: it notes when which event arrived where. The path
 * says what it answers: /ok/<endpoint>, /error/<endpoint>, /hang/<endpoint>. `GET /arrivals` gives the notes as lines of
 * endpoint, event and milliseconds since 1970; `GET /count` says how many different ones /ok has.
 */

const arrivals: string[] = [];
const seen = new Set<string>();
/** An answer that never comes keeps its connection: the sender ends it. */
const hanging = new Set<ServerResponse>();

const server = createServer((request, response) => {
  const [, kind = '', endpoint = ''] = (request.url ?? '').split('/');
  if (kind === 'ok') {
    const arrival = `${endpoint} ${request.headers['webhook-id']}`;
    arrivals.push(`${arrival} ${Date.now()}`);
    seen.add(arrival);
    request.resume();
    response.writeHead(204).end();
  } else if (kind === 'hang') {
    request.resume();
    hanging.add(response);
    response.on('close', () => hanging.delete(response));
  } else if (kind === 'error') {
    request.resume();
    response.writeHead(500).end('it does not work');
  } else if (kind === 'arrivals') {
    response.end(arrivals.join('\n'));
  } else {
    response.end(kind === 'count' ? String(seen.size) : 'OK');
  }
});
server.keepAliveTimeout = 60_000;
/* All of 127.0.0.0/8: each endpoint has an address of its own, as receivers have. */
server.listen({ host: '0.0.0.0', port: 0, backlog: 4_096 }, () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  tellStarter(`http://127.0.0.1:${address.port}`);
});
for (const event of ['SIGTERM', 'disconnect'] as const) {
  process.once(event as 'disconnect', () => process.exit(0));
}
