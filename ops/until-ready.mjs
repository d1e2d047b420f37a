// Waits until a process of the service is ready:  node ops/until-ready.mjs PORT. It asks where the process listens: at HOST.
// systemd runs it behind the start, so that what depends on the unit begins when requests are taken. Read by Node 18 too.
import { setTimeout as wait } from 'node:timers/promises';

const port = process.argv[2];
const { MAINPID, HOST } = process.env;
// Who listens at all addresses is on this machine too.
const host = ['', '0.0.0.0', '::'].includes(HOST ?? '') ? '127.0.0.1' : HOST;
const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}/readyz`;
for (;;) {
  // A process that has ended, of a wrong variable for instance, is said at once and not when the time is over.
  if (MAINPID !== undefined && !isRunning(Number(MAINPID))) {
    console.error(`Process ${MAINPID} ended before it was ready: its own lines say why.`);
    process.exit(1);
  }
  const answer = await fetch(address).catch(() => undefined);
  if (answer?.ok) break;
  await wait(500);
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}
