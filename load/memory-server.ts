import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { addressOf, tellStarter } from '../src/platform/http/listen.ts';

/*
 * The least that an HTTP service can do: one text from memory, no token, no version, no limit, no log. Its file is the
 * first parameter.
 */

const text = readFileSync(process.argv[2] ?? '', 'utf8');
const app = Fastify();
app.get('/readyz', async () => 'OK');
app.get('/spot-prices', async (_request, reply) => reply.type('application/json; charset=utf-8').send(text));
await app.listen({ host: '127.0.0.1', port: 0 });
tellStarter(addressOf(app, '127.0.0.1'));
for (const event of ['SIGTERM', 'disconnect'] as const) {
  process.once(event as 'disconnect', () => void app.close().then(() => process.exit(0)));
}
