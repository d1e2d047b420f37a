import { percentiles } from '../measure/statistics.ts';
import { table } from '../measure/table.ts';
import type { Call } from './callers.ts';

/** What a fault did. Instants by the clock of `performance`. */
export interface FaultMinute {
  readonly name: string;
  readonly from: number;
  /** When it was over. */
  readonly until: number;
  /** Milliseconds from then until callers of every kind were served again. */
  readonly recovery: number;
  /** From its begin to the end of its minute. */
  readonly answered: number;
  /** 5xx. */
  readonly refused: number;
  readonly unanswered: number;
  /** Of both, those who should not have noticed the fault. */
  readonly noticed: number;
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const isServed = ({ status }: Call) => status !== null && status < 300;
const isRefused = ({ status }: Call) => status !== null && status >= 500;

/** A table by kind of call: how it was served where no fault was near, and what it met in all. */
export function kindTable(calls: readonly Call[], struck: readonly FaultMinute[]): string {
  const isNear = ({ at, milliseconds }: Call) =>
    struck.some(({ from, until, recovery }) => at + milliseconds >= from && at <= until + recovery);
  const rows = [...Map.groupBy(calls, ({ kind }) => kind)].map(([kind, all]) => {
    const apart = percentiles(all.filter((call) => isServed(call) && !isNear(call)).map(latency));
    const near = percentiles(all.filter((call) => isServed(call) && isNear(call)).map(latency));
    const failed = all.filter((call) => !isServed(call)).length;
    return [
      kind,
      whole(all.length),
      ...[apart.p50, apart.p99, near.p99].map((value) => value.toFixed(1)),
      whole(all.filter(({ status }) => status === 429).length),
      whole(all.filter(isRefused).length),
      whole(all.filter(({ status }) => status === null).length),
      `${((100 * failed) / all.length).toFixed(2)} %`,
    ];
  });
  return table(
    ['kind', 'sent', 'p50 ms', 'p99', 'p99 near a fault', '429', '5xx', 'no answer', 'not served'],
    rows,
  );
}

const latency = ({ milliseconds }: Call) => milliseconds;

export function faultTable(struck: readonly FaultMinute[]): string {
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1);
  return table(
    ['fault', 's', 's to serve all', 'answers', '5xx', 'no answer'],
    struck.map(({ name, from, until, recovery, answered, refused, unanswered }) => [
      name,
      ...[until - from, recovery].map(seconds),
      ...[answered, refused, unanswered].map(whole),
    ]),
  );
}
