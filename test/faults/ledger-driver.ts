// Sends batches until it is told to stop and writes what became of each into the ledger, flushed before it goes on. A
// process of its own: what it remembers does not die with what is being killed.
import { fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { request } from 'node:http';
import { type Fleet, ledgerBatch, type Outcome } from '../../load/measure/ledger.ts';

interface Order {
  fleet: Fleet;
  ledgerFile: string;
  baseUrl: string;
  token: string;
  writers: number;
}

const [orderFile = ''] = process.argv.slice(2);
const order = JSON.parse(readFileSync(orderFile, 'utf8')) as Order;
const ledger = openSync(order.ledgerFile, 'a');
let stopping = false;
let next = 0;
process.on('SIGTERM', () => {
  stopping = true;
});

function write(number: number, outcome: Outcome): void {
  writeSync(ledger, `${number} ${outcome}\n`);
  fsyncSync(ledger);
}

/** The status, or null when the line broke or nothing came in time. */
function post(body: string): Promise<number | null> {
  return new Promise((resolve) => {
    const sending = request(
      `${order.baseUrl}/asset-snapshots`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${order.token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'x-api-version': '2026-09-08.gauss',
        },
        timeout: 25_000,
      },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? null));
        answer.on('error', () => resolve(null));
      },
    );
    sending.on('timeout', () => sending.destroy());
    sending.on('error', () => resolve(null));
    sending.end(body);
  });
}

function outcomeOf(status: number | null): Outcome {
  if (status === null || status >= 500) return 'unknown';
  return status === 200 ? 'ok' : 'fail';
}

async function writer(): Promise<void> {
  while (!stopping) {
    const number = next;
    next += 1;
    const body = JSON.stringify(ledgerBatch(order.fleet, number));
    /* Of the batches with an unknown outcome every other one is sent again, as a gateway would. */
    for (let attempt = 0; attempt < 1 + (number % 2); attempt += 1) {
      write(number, 'invoke');
      const outcome = outcomeOf(await post(body));
      write(number, outcome);
      if (outcome !== 'unknown') break;
    }
  }
}

await Promise.all(Array.from({ length: order.writers }, writer));
