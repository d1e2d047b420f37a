import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { addressOf, tellStarter } from '../../src/platform/http/listen.ts';

/*
 * The least that an HTTP service can do: texts from memory, one after the other, no token, no version, no limit, no log.
 * Parameters: a file with a JSON list of the texts, method, path. A body is parsed and not looked at.
 */

const [file = '', method = 'GET', url = '/'] = process.argv.slice(2);
const texts = JSON.parse(readFileSync(file, 'utf8')) as string[];
const app = Fastify();
let next = 0;
app.get('/readyz', async () => 'OK');
app.route({
  method,
  url,
  handler: async (_request, reply) => {
    const text = texts[next];
    next = (next + 1) % texts.length;
    return reply.type('application/json; charset=utf-8').send(text);
  },
});
await app.listen({ host: '127.0.0.1', port: 0 });
tellStarter(addressOf(app, '127.0.0.1'));
for (const event of ['SIGTERM', 'disconnect'] as const) {
  process.once(event as 'disconnect', () => void app.close().then(() => process.exit(0)));
}
