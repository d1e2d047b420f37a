import type { CalendarDay } from '../../../src/platform/time/berlin-calendar.ts';
import { addDays, berlinMilliseconds } from '../../../src/platform/time/berlin-calendar.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import type { ErrorBody } from '../../telemetry/assets/devices.ts';
import { Contracts } from '../subscriptions/contracts.ts';

export const QUARTER_HOUR = 900_000;
/** The last version that takes forecasts. */
export const CURIE = '2026-05-27.curie';

export interface Point {
  start: string;
  value: number;
}

export interface AcceptedForecast extends ErrorBody {
  scope: string;
  subscription: string;
  start: string;
  end: string;
  total: number;
}

/** Every quarter hour from one instant to another. */
export function points(
  from: number,
  until: number,
  value: number | ((index: number) => number) = 1,
): Point[] {
  return Array.from({ length: (until - from) / QUARTER_HOUR }, (_, index) => ({
    start: new Date(from + index * QUARTER_HOUR).toISOString(),
    value: typeof value === 'number' ? value : value(index),
  }));
}

/** So many whole days of Berlin. */
export function days(first: CalendarDay, count = 1, value: Parameters<typeof points>[2] = 1): Point[] {
  return points(berlinMilliseconds(first), berlinMilliseconds(addDays(first, count)), value);
}

/** The same, but for points that are changed, or left out where the change is null. */
export function changedPoints(whole: readonly Point[], change: (index: number) => object | null): object[] {
  return whole.flatMap((point, index) => {
    const changes = change(index);
    return changes === null ? [] : [{ ...point, ...changes }];
  });
}

interface StoredForecast {
  delivery_on: string;
  purchase: string;
  points: number;
  /** The first value tells forecasts apart. */
  kw: number;
  received_at: Date;
}

/** Contracts that forecasts are sent of. */
export class Forecasts {
  readonly contracts: Contracts;

  private constructor(contracts: Contracts) {
    this.contracts = contracts;
  }

  static async start(instant: string): Promise<Forecasts> {
    return new Forecasts(await Contracts.start(instant, { alone: true }));
  }

  get api() {
    return this.contracts.api;
  }

  async send(
    { id: subscription }: { id: string },
    data: unknown,
    {
      version = CURIE,
      ...change
    }: { version?: string; headers?: Record<string, string> } & Record<string, unknown> = {},
  ) {
    const client = await this.contracts.client(version);
    const { headers, ...fields } = change;
    const body = { scope: 'subscription', subscription, resolution: '15min', unit: 'KW', data, ...fields };
    return await client.post<AcceptedForecast>('/load-forecasts', body, headers && { headers });
  }

  stored({ id }: { id: string }): Promise<StoredForecast[]> {
    return storedRows<StoredForecast>(
      this.api,
      `SELECT delivery_on::text, purchase, cardinality(power_kw) AS points, power_kw[1] AS kw, received_at
         FROM load_forecasts WHERE subscription_id = $1 ORDER BY delivery_on, purchase`,
      [id],
    );
  }

  close(): Promise<void> {
    return this.contracts.close();
  }
}
