import { setTimeout as wait } from 'node:timers/promises';
import { beginOfBatch, type Fleet, firstBatchFrom, ledgerBatch, type Outcome } from '../measure/ledger.ts';
import { Sender } from '../measure/sender.ts';
import { requestHeads } from '../measure/socket-loop.ts';
import type { Service } from '../surroundings/service.ts';

/** One answer, or what came in its place. */
export interface LedgerAnswer {
  /** Of the batch. */
  number: number;
  /** By the clock of `performance`, milliseconds. */
  at: number;
  /** From the first byte that was sent. */
  milliseconds: number;
  /** Null: the connection broke. */
  status: number | null;
  outcome: Exclude<Outcome, 'invoke'>;
}

/** Rows are not late: late ones go through the coordinator whatever is configured. */
export const BEGIN_MILLISECONDS_AGO = 900_000;
const FUTURE_MARGIN_MILLISECONDS = 5_000;
/** After an answer that says that a node is away. Long enough that those who are refused do not take the machine. */
const PAUSE_MILLISECONDS = 20;
const LOOK_MILLISECONDS = 10;

/** Gateways that send batch after batch whatever is answered, and a ledger of what was. */
export class LedgerWriters {
  readonly ledger = new Map<number, Set<Outcome>>();
  readonly answers: LedgerAnswer[] = [];
  /** The first answer that is neither 200 nor 5xx: what is sent is right. */
  complaint: string | null = null;
  readonly #fleet: Fleet;
  readonly #underWay: Promise<void>[] = [];
  readonly #apartMilliseconds: number;
  #next = 0;
  /** By the clock of `performance`. */
  #nextAt = 0;
  #stopping = false;

  /** `rate`: so many batches a second at most. What an outage held up is not made up for. */
  constructor(fleet: Fleet, rate: number) {
    this.#fleet = fleet;
    this.#apartMilliseconds = 1000 / rate;
  }

  async start(service: Service, writers: number): Promise<void> {
    const url = `${service.baseUrl}/asset-snapshots`;
    const headFor = requestHeads(url, await service.headers());
    const { hostname, port } = new URL(url);
    for (let index = 0; index < writers; index += 1) {
      const sender = new Sender({ host: hostname, port: Number(port) });
      this.#underWay.push(this.#write(sender, headFor).finally(() => sender.close()));
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#underWay);
  }

  /** The first answer 200 after an instant to a batch that is asked for; null where none comes in time. */
  async acknowledgedAfter(
    at: number,
    isMeant: (number: number) => boolean,
    secondsMax: number,
  ): Promise<LedgerAnswer | null> {
    const deadline = performance.now() + secondsMax * 1000;
    for (let looked = 0; ; ) {
      for (; looked < this.answers.length; looked += 1) {
        const answer = this.answers[looked] as LedgerAnswer;
        if (answer.outcome === 'ok' && answer.at > at && isMeant(answer.number)) return answer;
      }
      if (performance.now() > deadline) return null;
      await wait(LOOK_MILLISECONDS);
    }
  }

  async #write(sender: Sender, headFor: (body: Buffer) => Buffer): Promise<void> {
    while (!this.#stopping) {
      const number = await this.#take();
      const body = Buffer.from(JSON.stringify(ledgerBatch(this.#fleet, number)));
      /* Every other batch with an unknown outcome is sent again, as a gateway would. */
      for (let attempt = 0; attempt < 1 + (number % 2); attempt += 1) {
        this.#note(number, 'invoke');
        const begun = performance.now();
        const answer = await sender.send(headFor(body), body).catch(() => null);
        const status = answer?.status ?? null;
        const outcome = outcomeOf(status);
        if (outcome === 'fail') this.complaint ??= `${status} ${answer?.body.slice(0, 300)}`;
        this.#note(number, outcome);
        const at = performance.now();
        this.answers.push({ number, at, milliseconds: at - begun, status, outcome });
        if (outcome !== 'unknown') break;
        await wait(PAUSE_MILLISECONDS);
      }
    }
  }

  /** The next batch, neither late by now nor of the future. */
  async #take(): Promise<number> {
    const now = performance.now();
    this.#nextAt = Math.max(this.#nextAt + this.#apartMilliseconds, now);
    await wait(this.#nextAt - now);
    this.#next = Math.max(this.#next, firstBatchFrom(this.#fleet, Date.now() - BEGIN_MILLISECONDS_AGO));
    const number = this.#next;
    this.#next += 1;
    while (beginOfBatch(this.#fleet, number) > Date.now() - FUTURE_MARGIN_MILLISECONDS) {
      await wait(LOOK_MILLISECONDS);
    }
    return number;
  }

  #note(number: number, outcome: Outcome): void {
    const known = this.ledger.get(number) ?? new Set<Outcome>();
    known.add(outcome);
    this.ledger.set(number, known);
  }
}

/** An answer of 5xx leaves open whether the batch is stored; it is whole or absent. */
export function outcomeOf(status: number | null): LedgerAnswer['outcome'] {
  if (status === null || status >= 500) return 'unknown';
  return status === 200 ? 'ok' : 'fail';
}
