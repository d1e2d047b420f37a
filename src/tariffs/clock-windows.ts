/** Minutes since midnight by the wall clock of Europe/Berlin, in quarter hours. `until` up to `from`: across midnight. */
export interface ClockWindow {
  readonly fromMinute: number;
  readonly untilMinute: number;
}

export const MINUTES_OF_DAY = 1_440;
export const QUARTER_HOUR_MINUTES = 15;

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
