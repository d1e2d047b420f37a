/** Minutes since midnight by the wall clock of Europe/Berlin, in quarter hours. `until` up to `from`: across midnight. */
export interface ClockWindow {
  readonly fromMinute: number;
  readonly untilMinute: number;
}

const QUARTER_HOUR_MINUTES = 15;

/** The minutes of a day at which its quarter hours begin. */
export const QUARTER_HOURS_OF_DAY: readonly number[] = Array.from(
  { length: 96 },
  (_, index) => index * QUARTER_HOUR_MINUTES,
);

const TIME = '(?:[01]\\d|2[0-3]):(?:00|15|30|45)';
const WINDOW = new RegExp(`^(${TIME})-(${TIME})$`);

/** Of `23:00-06:00;12:00-14:15`; undefined where the text is anything else. */
export function clockWindows(text: string): ClockWindow[] | undefined {
  const windows: ClockWindow[] = [];
  for (const part of text.split(';')) {
    const [, from, until] = WINDOW.exec(part) ?? [];
    if (from === undefined || until === undefined || from === until) return undefined;
    windows.push({ fromMinute: minuteOf(from), untilMinute: minuteOf(until) });
  }
  return windows;
}

/** Whether this minute of the day lies in one of them. */
export function isInside(windows: readonly ClockWindow[], minuteOfDay: number): boolean {
  return windows.some(({ fromMinute, untilMinute }) =>
    fromMinute < untilMinute
      ? fromMinute <= minuteOfDay && minuteOfDay < untilMinute
      : minuteOfDay >= fromMinute || minuteOfDay < untilMinute,
  );
}

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** The first minute that lies in two of them. */
export function coveredTwice(windows: readonly ClockWindow[]): number | undefined {
  return QUARTER_HOURS_OF_DAY.find(
    (minute) => windows.filter((window) => isInside([window], minute)).length > 1,
  );
}

/** How long they are together. */
export function minutesOf(windows: readonly ClockWindow[]): number {
  return QUARTER_HOURS_OF_DAY.filter((minute) => isInside(windows, minute)).length * QUARTER_HOUR_MINUTES;
}

/** `06:15` */
export function clockTime(minuteOfDay: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minuteOfDay / 60))}:${two(minuteOfDay % 60)}`;
}
