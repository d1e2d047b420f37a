/*
 * The promises, measured side by side in one run on one machine. Absolute figures move from run to run, so nearly all are
 * ratios. A run below `promised` fails; `goal` is what the work aims at. Where other programs used the machine, a figure
 * below is not judged instead.
 */

export interface Target {
  what: string;
  direction: 'at least' | 'at most';
  promised: number;
  goal: number;
  unit: 'times' | 'MB' | '%' | 'ms' | 'a second' | 'bytes';
  /** Other programs on the machine do not move it: memory and bytes. */
  evenWhenBusy?: true;
}

export const TARGETS = {
  P1: {
    what: '10,000-row batches against psql \\copy of the same rows',
    direction: 'at least',
    promised: 1,
    goal: 1.25,
    unit: 'times',
  },
  /* Client, service and database fill two cores, and the job works a quarter of its time on one of them. */
  'P1 sums': {
    what: 'new batches while the job sums them by quarter hour, one run right after the other, against without it',
    direction: 'at least',
    promised: 0.8,
    goal: 0.9,
    unit: 'times',
  },
  /* Judged where InfluxDB runs: a comparison with ourselves, one transaction per request, hid the distance to others. */
  "P2'": {
    what: '100-row batches of the last minutes, 32 gateways, against InfluxDB 1.x, which also has each on disk before it answers',
    direction: 'at least',
    promised: 0.8,
    goal: 1,
    unit: 'times',
  },
  P3: {
    what: 'batches sent again against new ones',
    direction: 'at least',
    promised: 0.5,
    goal: 0.5,
    unit: 'times',
  },
  /* Ten thousand places of the index in place of ten stretches of it. */
  'P3 sparse': {
    what: 'batches sent again whose rows are spread over all that is stored, against new ones',
    direction: 'at least',
    promised: 0.3,
    goal: 0.5,
    unit: 'times',
  },
  'P3 neighbour': {
    what: "another household's single row (median) beside such batches, against beside those that lie side by side",
    direction: 'at most',
    promised: 3,
    goal: 2,
    unit: 'times',
  },
  'P3 some': {
    what: 'processor time of a batch where 5 % were sent before, 32 gateways, against none; each number of rows',
    direction: 'at most',
    promised: 1.5,
    goal: 1.2,
    unit: 'times',
  },
  'P3 all': {
    what: 'processor time of a batch that was sent before, 32 gateways, against a new one; each number of rows',
    direction: 'at most',
    promised: 1.2,
    goal: 1,
    unit: 'times',
  },
  'P4 one bad row': {
    what: 'time of a batch with one bad row against a good one',
    direction: 'at most',
    promised: 2,
    goal: 2,
    unit: 'times',
  },
  'P4 all bad': {
    what: 'time of a batch of bad rows against a good one',
    direction: 'at most',
    promised: 10,
    goal: 10,
    unit: 'times',
  },
  'P4 memory': {
    what: 'memory of the API after many bad batches against before the last of them',
    direction: 'at most',
    promised: 1.2,
    goal: 1.1,
    unit: 'times',
    evenWhenBusy: true,
  },
  /*
   * Processor time of an answer: Fastify with the bytes in memory 20 µs, prices 60 µs. The look into the database takes 13
   * of the 40 between them, the line of the log 8; docs/measurements.md lists them all.
   */
  P6: {
    what: 'two days of quarter-hourly prices against Fastify with the same bytes in memory',
    direction: 'at least',
    promised: 0.7,
    goal: 0.7,
    unit: 'times',
  },
  /* Requests by the processor time of the service: what shares the machine does not count. */
  P7: {
    what: 'quotes for each core of the service process',
    direction: 'at least',
    promised: 3_000,
    goal: 3_000,
    unit: 'a second',
  },
  'P8 memory': {
    what: 'largest resident memory of the API',
    direction: 'at most',
    promised: 350,
    goal: 350,
    unit: 'MB',
    evenWhenBusy: true,
  },
  'P8 growth': {
    what: 'memory of the API at the end against after the first minute',
    direction: 'at most',
    promised: 1.1,
    goal: 1.05,
    unit: 'times',
    evenWhenBusy: true,
  },
  'A1 100 rows': {
    what: 'authentication in the time of a batch of 100 rows',
    direction: 'at most',
    promised: 5,
    goal: 2,
    unit: '%',
  },
  'A1 10,000 rows': {
    what: 'authentication in the time of a batch of 10,000 rows',
    direction: 'at most',
    promised: 5,
    goal: 1,
    unit: '%',
  },
  A2: {
    what: '100-row batches counted in Redis against counted in the process alone',
    direction: 'at least',
    promised: 0.85,
    goal: 0.95,
    unit: 'times',
  },
  /* Absolute: what a person who turns pages notices does not depend on the machine. */
  L1: {
    what: 'p99 of a page of 1,000,000 customers, at the depth where it is slowest',
    direction: 'at most',
    promised: 20,
    goal: 10,
    unit: 'ms',
  },
  'L1 depth': {
    what: 'median page at the depth where it is slowest against the first pages',
    direction: 'at most',
    promised: 1.5,
    goal: 1.2,
    unit: 'times',
  },
  L2: {
    what: 'p99 of a page of them by e-mail, date or type, whichever is slowest',
    direction: 'at most',
    promised: 20,
    goal: 10,
    unit: 'ms',
  },
  /* A trigram index has to look at more entries the longer the text is. */
  L3: {
    what: 'p99 of a page of them by a part or an end of an e-mail address, whichever is slowest',
    direction: 'at most',
    promised: 60,
    goal: 20,
    unit: 'ms',
  },
  /* The answer has 202 MB. */
  L4: {
    what: 'resident memory that the API takes in addition while all of them are read in one answer of the oldest version',
    direction: 'at most',
    promised: 200,
    goal: 100,
    unit: 'MB',
    evenWhenBusy: true,
  },
  'L4 beside': {
    what: "median of another organization's pages meanwhile, against before",
    direction: 'at most',
    promised: 4,
    goal: 2,
    unit: 'times',
  },
  P5: {
    what: 'p99 of the newest snapshots of a household, in the largest store against the smallest',
    direction: 'at most',
    promised: 1.5,
    goal: 1.2,
    unit: 'times',
  },
  P10: {
    what: 'bytes of a compressed snapshot, indexes included; Community edition',
    direction: 'at most',
    promised: 12,
    goal: 10,
    unit: 'bytes',
    evenWhenBusy: true,
  },
  E1: {
    what: 'largest resident memory of an export in the second half of its time against the first half, the worst of them',
    direction: 'at most',
    promised: 1.2,
    goal: 1.1,
    unit: 'times',
    evenWhenBusy: true,
  },
  /* When a bill read the rows of others too, the third wave of ten was half as fast as the first. */
  'B1 pace': {
    what: 'bills a second of the last third of the waves against the first third, medians',
    direction: 'at least',
    promised: 0.7,
    goal: 0.9,
    unit: 'times',
  },
  'B1 memory': {
    what: 'largest resident memory of the worker in the second half of the billing against the first',
    direction: 'at most',
    promised: 1.2,
    goal: 1.1,
    unit: 'times',
    evenWhenBusy: true,
  },
  /* It took 525 ms. The first calls of a process cost 27 to 51. */
  U1: {
    what: 'processor time, service and database, of ten years of usage by months',
    direction: 'at most',
    promised: 75,
    goal: 25,
    unit: 'ms',
  },
  /* On two cores that the client, the service and the database share. */
  U2: {
    what: 'median of another organization while one client asks for long periods, against before; the worst route',
    direction: 'at most',
    promised: 2,
    goal: 1.5,
    unit: 'times',
  },
  /* On two cores that the callers, the service and the database share; the worst of the kinds. */
  "P4' other": {
    what: "median of another organization's small batches while one caller sends the costliest requests he may",
    direction: 'at most',
    promised: 250,
    goal: 100,
    unit: 'ms',
  },
  "P4' alone": {
    what: 'the same against its own median alone',
    direction: 'at most',
    promised: 5,
    goal: 3,
    unit: 'times',
  },
  "P4' client": {
    what: 'median of another client of the same organization meanwhile, reading ten customers',
    direction: 'at most',
    promised: 500,
    goal: 100,
    unit: 'ms',
  },
  "P4' recovery": {
    what: 'until both are answered as before, counted from the last request of that caller',
    direction: 'at most',
    promised: 10_000,
    goal: 2_000,
    unit: 'ms',
  },
  /* Absolute: how long callers wait. On two cores that they share with all that starts again. */
  'F1 recovery': {
    what: 'from the end of a fault until callers of every kind are served again, the worst of the faults',
    direction: 'at most',
    promised: 30_000,
    goal: 10_000,
    unit: 'ms',
  },
  /* Absolute: what a partner notices. */
  W10: {
    what: 'p95 from the commit of an event to its arrival at endpoints that are well, while others are dead',
    direction: 'at most',
    promised: 5_000,
    goal: 1_000,
    unit: 'ms',
  },
} as const satisfies Record<string, Target>;

export type TargetName = keyof typeof TARGETS;
