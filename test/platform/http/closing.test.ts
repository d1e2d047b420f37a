import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { startWireApp } from '../wire-app.ts';

test('an answer half sent when the end begins is sent to its end, and its kept-alive connection does not hold it up', async () => {
  const half = new PassThrough();
  const wire = await startWireApp({
    extend: (app) => app.get('/half', async (_request, reply) => reply.type('text/plain').send(half)),
  });
  const socket = connect({ host: '127.0.0.1', port: wire.port });
  let received = '';
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  socket.write('GET /half HTTP/1.1\r\nHost: localhost\r\n\r\n');
  half.write('first half');
  await expect.poll(() => received).toContain('first half');

  const closed = wire.close();
  await expect.poll(() => wire.app.server.listening).toBe(false);
  half.end('second half');
  await Promise.all([once(socket, 'close'), closed]);
  expect(received).toMatch(/first half[\s\S]*second half\r\n0\r\n\r\n$/);
  expect(received).not.toMatch(/connection: close/i);
});
