import { addDays, deliveryDayAt } from '../../src/spot-prices/calendar.ts';
import { requireAnswers } from '../ingest/run.ts';
import { SameAnswers } from '../measure/answers.ts';
import { AUTOCANNON, closedLoop } from '../measure/closed-loop.ts';
import { measure } from '../measure/leg.ts';
import { collectFacts } from '../measure/machine.ts';
import { Report } from '../measure/report.ts';
import { median } from '../measure/statistics.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { startMemoryService } from '../surroundings/memory-service.ts';
import { storePriceDay } from '../surroundings/price-days.ts';
import { prepareSurroundings, type Service } from '../surroundings/service.ts';

export interface ReadSeriesOptions {
  connections: number;
  /** Of one connection in one round. */
  requests: number;
  rounds: number;
  quietSeconds: number;
}

interface Side {
  name: string;
  service: Service;
  speeds: number[];
  /** Of one request, in milliseconds. */
  processorTimes: number[];
}

/** Today and tomorrow with a token, against a bare Fastify that answers the same bytes; in turns. */
export async function readSeries(
  options: ReadSeriesOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  const { database, redisPid, service } = await prepareSurroundings({}, cleanup);
  const report = new Report('read-series', await collectFacts(database), { ...options });
  const today = deliveryDayAt(Date.now());
  const days = [today, addDays(today, 1)] as const;
  for (const day of days) await storePriceDay(database, day);
  say('starting the service and the server with the bytes in memory');
  const api = await service('series');
  const path = `/spot-prices?start=${days[0]}&end=${days[1]}`;
  const text = await answerOf(api, path);
  const memory = await startMemoryService(
    { name: 'series', method: 'GET', path: '/spot-prices', texts: [text] },
    cleanup,
  );
  const { items } = JSON.parse(text) as { items: unknown[] };

  const sides: Side[] = [
    { name: 'spot prices', service: api, speeds: [], processorTimes: [] },
    { name: 'memory', service: memory, speeds: [], processorTimes: [] },
  ];
  const round = async (side: Side, number: number) => {
    const headers = await side.service.headers();
    const context = {
      ...{ database, redisPid, name: side.name, round: number, servicePid: side.service.pid },
      quietSecondsMax: options.quietSeconds,
    };
    const { leg, result } = await measure(context, async (begin) => {
      const loop = await closedLoop({
        onBegin: begin,
        url: side.service.baseUrl + path,
        headers,
        connections: options.connections,
        amount: options.connections * options.requests,
        answers: new SameAnswers(text),
      });
      return { loop, rows: items.length * loop.latenciesMilliseconds.length };
    });
    requireAnswers(report, `${side.name}, round ${number}`, result.loop.answers, 200);
    if (number === 0) return;
    side.speeds.push(leg.requests_per_second ?? Number.NaN);
    side.processorTimes.push(leg.processor_ms?.service ?? Number.NaN);
    report.add(leg);
  };

  /* As long as a round, so that V8 is done with compiling on both sides. */
  for (const side of sides) await round(side, 0);
  for (let number = 1; number <= options.rounds; number += 1) {
    say(`round ${number}: ${options.connections} readers on each side in turn`);
    for (const side of number % 2 === 1 ? sides : sides.toReversed()) await round(side, number);
  }
  const [series, bytes] = sides.map(({ speeds }) => median(speeds));
  report.judge('P6', (series ?? Number.NaN) / (bytes ?? Number.NaN), AUTOCANNON.name);
  const microseconds = sides.map(({ processorTimes }) => (median(processorTimes) * 1000).toFixed(0));
  report.remarks.push(
    `processor time of an answer: service ${microseconds[0]} µs, Fastify with the same bytes ${microseconds[1]} µs`,
  );
  return report;
}

async function answerOf(service: Service, path: string): Promise<string> {
  const answer = await fetch(service.baseUrl + path, { headers: await service.headers() });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}: ${text}`);
  return text;
}
