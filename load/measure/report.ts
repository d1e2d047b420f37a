import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../scripts/data-folder.mjs';
import { EXIT_CODES } from '../surroundings/failures.ts';
import type { TargetName } from '../targets.ts';
import type { Leg } from './leg.ts';
import type { Facts } from './machine.ts';
import { table } from './table.ts';
import { type Judgement, judge, OTHERS_SHARE_MAX } from './verdict.ts';

/** Above this share of a core per sender the client itself may be what is measured. */
const CLIENT_CPU_MAX = 0.5;

/** What a run found, as it is printed and as it is written. */
export class Report {
  readonly legs: Leg[] = [];
  readonly judgements: Judgement[] = [];
  /** Each of them fails the run: wrong counts, answers that should not be. */
  readonly problems: string[] = [];
  readonly remarks: string[] = [];
  /** Printed behind the legs, each as it is. */
  readonly tables: string[] = [];
  readonly details: Record<string, unknown> = {};
  readonly #scenario: string;
  readonly #facts: Facts;
  readonly #configuration: Record<string, unknown>;
  readonly #startedAt = new Date().toISOString();

  constructor(scenario: string, facts: Facts, configuration: Record<string, unknown>) {
    this.#scenario = scenario;
    this.#facts = facts;
    this.#configuration = configuration;
  }

  add(leg: Leg): void {
    this.legs.push(leg);
    if (leg.cpu.client > CLIENT_CPU_MAX) {
      this.remarks.push(
        `${leg.name}, round ${leg.round}: the client used ${percent(leg.cpu.client)} of a core itself; the service could do more`,
      );
    }
    if (leg.refused !== undefined && leg.refused > 0) {
      this.remarks.push(
        `${leg.name}, round ${leg.round}: the service was overloaded; ${whole(leg.refused)} answers 503, and the same sent again when they said`,
      );
    }
    if (leg.answers?.['429'] !== undefined)
      this.problems.push(`${leg.name}: ${leg.answers['429']} answers 429`);
  }

  /** By what was measured until now. `client`: the name of what sent it. */
  judge(name: TargetName, measured: number, client?: string): void {
    this.judgements.push(judge(name, measured, this.#othersShare(), client));
  }

  /** The share of the machine's processor time during the legs that other programs used; null without legs. */
  #othersShare(): number | null {
    const seconds = this.legs.reduce((sum, leg) => sum + leg.seconds, 0);
    const used = this.legs.reduce((sum, leg) => sum + leg.seconds * othersOf(leg), 0);
    return seconds > 0 ? used / seconds / this.#facts.machine.cores : null;
  }

  get exit(): { code: number; meaning: string } {
    const outcomes = this.judgements.map(({ outcome }) => outcome);
    if (this.problems.length > 0 || outcomes.includes('missed')) return EXIT_CODES.missed;
    return outcomes.includes('not judged') ? EXIT_CODES.notJudged : EXIT_CODES.held;
  }

  toJson(): Record<string, unknown> {
    return {
      scenario: this.#scenario,
      started_at: this.#startedAt,
      ...this.#facts,
      configuration: this.#configuration,
      targets: this.judgements,
      legs: this.legs,
      ...this.details,
      problems: this.problems,
      remarks: this.remarks,
      exit_code: this.exit.code,
    };
  }

  /** Writes the JSON result and returns its path. */
  async save(): Promise<string> {
    const folder = join(projectFolder, 'load', 'results');
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${this.#scenario}-${this.#startedAt.replaceAll(':', '-')}.json`);
    await writeFile(path, `${JSON.stringify(this.toJson(), null, 2)}\n`);
    return path;
  }

  toText(): string {
    const { machine, node, git, postgresql } = this.#facts;
    const memory = `${(machine.memory_bytes / 2 ** 30).toFixed(0)} GiB`;
    return [
      `${this.#scenario}   git ${git}   Node ${node}   PostgreSQL ${postgresql}   ${engineText(this.#facts)}`,
      `${machine.cores} x ${machine.cpu}, ${memory}, ${machine.system}; client, service and database share it`,
      '',
      ...(this.legs.length > 0
        ? [
            table(
              LEG_HEADINGS,
              this.legs.map((leg) => legCells(leg, machine.cores)),
            ),
            'CPU: of one core, machine and others: of all; service ms, database ms: processor time of a request, whatever else runs on the machine; rows of others: their server',
            '',
          ]
        : []),
      ...this.tables.flatMap((text) => [text, '']),
      ...(this.judgements.length > 0 ? [table(TARGET_HEADINGS, this.judgements.map(judgementCells))] : []),
      ...busyNote(this.#othersShare()),
      ...this.remarks.map((remark) => `Note: ${remark}`),
      ...this.problems.map((problem) => `FAILED: ${problem}`),
      '',
      `Exit code ${this.exit.code}: ${this.judgements.length === 0 && this.exit.code === 0 ? 'nothing was promised of this run, and nothing failed' : this.exit.meaning}`,
    ].join('\n');
  }
}

function engineText({ timescaledb, timescaledb_license, citus }: Facts): string {
  return citus === undefined ? `TimescaleDB ${timescaledb} (${timescaledb_license})` : `Citus ${citus}`;
}

/** Share of a core. If a server takes part whose use is not counted, the use just before stands for it. */
const othersOf = (leg: Leg): number => leg.disturbed ?? leg.disturbed_before;

function busyNote(share: number | null): string[] {
  if (share === null || share <= OTHERS_SHARE_MAX) return [];
  const [used, limit] = [percent(share), percent(OTHERS_SHARE_MAX)];
  return [
    `Note: other programs used ${used} of the machine; above ${limit} a figure below its promise is not judged, and one that held may be chance`,
  ];
}

const LEG_HEADINGS = [
  'what',
  'round',
  'client',
  'rows/s',
  'requests/s',
  'p50 ms',
  'p95',
  'p99',
  'p99.9',
  'CPU client',
  'service',
  'database',
  'machine',
  'others',
  'WAL MB',
  'service ms',
  'database ms',
];

function legCells(leg: Leg, cores: number): string[] {
  const { latency_ms: latency, cpu } = leg;
  const milliseconds = (value: number | undefined) => (value === undefined ? '' : value.toFixed(1));
  return [
    leg.name,
    String(leg.round),
    leg.client,
    whole(leg.rows_per_second),
    leg.requests_per_second === undefined ? '' : whole(leg.requests_per_second),
    milliseconds(latency?.p50),
    milliseconds(latency?.p95),
    milliseconds(latency?.p99),
    milliseconds(latency?.p99_9),
    percent(cpu.client),
    cpu.service === null ? '' : percent(cpu.service),
    cpu.database === null ? '' : percent(cpu.database),
    percent(cpu.machine / cores),
    percent(othersOf(leg) / cores),
    (leg.wal_bytes / 1e6).toFixed(0),
    ofRequest(leg.processor_ms?.service),
    ofRequest(leg.processor_ms?.database),
  ];
}

/** Of 0.2 ms for 100 rows as well as of 20 ms for 10,000. */
function ofRequest(milliseconds: number | null | undefined): string {
  return typeof milliseconds === 'number' ? milliseconds.toFixed(milliseconds < 1 ? 3 : 1) : '';
}

const TARGET_HEADINGS = ['target', 'measured', 'promised', 'goal', '', 'client', 'what'];

function judgementCells(judgement: Judgement): string[] {
  const { direction, unit } = judgement;
  const sign = direction === 'at least' ? '≥' : '≤';
  const value = (number: number) => {
    const digits = unit === 'MB' || unit === 'a second' ? whole(number) : number.toFixed(2);
    return unit === 'times' ? digits : `${digits} ${unit}`;
  };
  return [
    judgement.name,
    value(judgement.measured),
    `${sign} ${value(judgement.promised)}`,
    `${sign} ${value(judgement.goal)}`,
    judgement.outcome === 'missed' ? 'MISSED' : judgement.outcome,
    judgement.client ?? '',
    judgement.what,
  ];
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const percent = (share: number) => `${Math.round(share * 100)} %`;
