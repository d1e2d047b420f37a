import {
  type DayGrid,
  type DeliveryDay,
  deliveryDayAt,
  gridOf,
  type IntervalMinutes,
  minutesOf,
  startText,
} from '../calendar.ts';
import type { DayReading } from '../series.ts';
import { rejected } from './body.ts';
import { firstOfHours } from './row-times.ts';

/** Ten years of days; the calendar takes a quarter of a millisecond for each. */
const DAYS_MAX = 4_000;

const HOUR_MILLISECONDS = 3_600_000;

/** A body of thousands of wrong parts is described by its first ones. */
const SENTENCES_MAX = 20;

interface OpenDay {
  readonly minutes: IntervalMinutes;
  readonly points: Map<number, string>;
  readonly refused: Set<string>;
  contradictory: boolean;
}

interface DayReadingsOptions {
  /** Null: every day in the body. */
  readonly days: readonly DeliveryDay[] | null;
  /** Width of a day's points; the German auction's where nothing is said. */
  readonly minutesOn?: (deliveryOn: DeliveryDay) => IntervalMinutes;
}

/** Gathers by delivery day what a body says; what lies outside the asked days is dropped. */
export class DayReadings {
  readonly #requested: ReadonlySet<DeliveryDay> | null;
  readonly #minutesOn: (deliveryOn: DeliveryDay) => IntervalMinutes;
  readonly #days = new Map<DeliveryDay, OpenDay>();
  readonly #grids = new Map<DeliveryDay, DayGrid>();
  readonly #gridsByHour = new Map<number, DayGrid>();
  readonly #elsewhere = new Set<string>();

  constructor({ days, minutesOn }: DayReadingsOptions) {
    this.#requested = days === null ? null : new Set(days);
    this.#minutesOn = minutesOn ?? minutesOf;
    for (const day of days ?? []) this.see(day);
  }

  /** The day's grid in the width of its points. */
  gridOn(deliveryOn: DeliveryDay): DayGrid {
    let grid = this.#grids.get(deliveryOn);
    if (grid === undefined) {
      if (this.#grids.size >= DAYS_MAX) throw rejected(`The body has more than ${DAYS_MAX} days`);
      grid = gridOf(deliveryOn, this.#minutesOn(deliveryOn));
      this.#grids.set(deliveryOn, grid);
    }
    return grid;
  }

  /** Rows may come in any order; days begin on full hours, so the calendar is asked once for each day. */
  gridAt(milliseconds: number): DayGrid {
    const hour = Math.floor(milliseconds / HOUR_MILLISECONDS);
    const known = this.#gridsByHour.get(hour);
    if (known !== undefined) return known;
    const grid = this.gridOn(deliveryDayAt(milliseconds));
    const end = grid.to / HOUR_MILLISECONDS;
    for (let other = grid.from / HOUR_MILLISECONDS; other < end; other += 1) {
      this.#gridsByHour.set(other, grid);
    }
    return grid;
  }

  /** The days that a stretch of time touches, its end exclusive. */
  daysWithin(from: number, to: number): DeliveryDay[] {
    const days: DeliveryDay[] = [];
    for (let at = from; at < to; ) {
      const grid = this.gridAt(at);
      days.push(grid.deliveryOn);
      at = grid.to;
    }
    return days;
  }

  isRequested(deliveryOn: DeliveryDay): boolean {
    return this.#requested === null || this.#requested.has(deliveryOn);
  }

  /** The body has something to say about this day, if only that there is nothing yet. */
  see(deliveryOn: DeliveryDay): void {
    if (this.isRequested(deliveryOn)) this.#open(deliveryOn);
  }

  /** Gives the other value that the interval has already; it stays. */
  add(deliveryOn: DeliveryDay, start: number, eurMwh: string): string | undefined {
    if (!this.isRequested(deliveryOn)) return undefined;
    const { points } = this.#open(deliveryOn);
    const present = points.get(start);
    if (present === undefined) points.set(start, eurMwh);
    return present === eurMwh ? undefined : present;
  }

  /** A part of this day is not believed, or a part without any day. */
  refuse(deliveryOn: DeliveryDay | null, sentence: string): void {
    if (deliveryOn !== null && this.isRequested(deliveryOn)) {
      keep(this.#open(deliveryOn).refused, sentence);
    } else {
      keep(this.#elsewhere, deliveryOn === null ? sentence : `${deliveryOn}: ${sentence}`);
    }
  }

  /** Nothing of this day is believed. */
  refuseDay(deliveryOn: DeliveryDay, sentence: string): void {
    this.refuse(deliveryOn, sentence);
    if (this.isRequested(deliveryOn)) this.#open(deliveryOn).contradictory = true;
  }

  /**
   * For bodies that do not name the width of their rows. On a day of quarter hours a row an hour from both of its neighbours is
   * the mean of its hour, and no price of its first quarter: nothing of such a day is believed.
   */
  refuseHours(): void {
    for (const [deliveryOn, { minutes, points }] of this.#days) {
      if (minutes === 60) continue;
      const hour = firstOfHours([...points.keys()]);
      if (hour === undefined) continue;
      this.refuseDay(
        deliveryOn,
        `${startText(hour)} and its neighbours are hours, the day has quarter hours`,
      );
    }
  }

  read(): { days: readonly DayReading[]; refused: readonly string[] } {
    const days = [...this.#days].map(([deliveryOn, day]) => ({
      deliveryOn,
      minutes: day.minutes,
      points: day.contradictory
        ? []
        : [...day.points].map(([start, eurMwh]) => ({ start, eurMwh })).sort((a, b) => a.start - b.start),
      refused: [...day.refused],
    }));
    /* Asked days stay in the order of the asking; days of the body stand as they come. */
    if (this.#requested === null) days.sort((a, b) => (a.deliveryOn < b.deliveryOn ? -1 : 1));
    return { days, refused: [...this.#elsewhere] };
  }

  #open(deliveryOn: DeliveryDay): OpenDay {
    let day = this.#days.get(deliveryOn);
    if (day === undefined) {
      const minutes = this.#minutesOn(deliveryOn);
      day = { minutes, points: new Map(), refused: new Set(), contradictory: false };
      this.#days.set(deliveryOn, day);
    }
    return day;
  }
}

function keep(sentences: Set<string>, sentence: string): void {
  if (sentences.size < SENTENCES_MAX) sentences.add(sentence);
}
