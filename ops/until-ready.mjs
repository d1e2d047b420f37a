// Waits until a process of the service is ready:  node ops/until-ready.mjs PORT
// systemd runs it behind the start, so that what depends on the unit begins when requests are taken. Read by Node 18 too.
import { setTimeout as wait } from 'node:timers/promises';

const port = process.argv[2];
for (;;) {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  if (answer?.ok) break;
  await wait(500);
}
