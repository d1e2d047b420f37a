const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

const doublings = (unit: number) => [1, 2, 4, 8, 16, 32].map((times) => times * unit);

/** Seconds to wait after the first failed attempt, the second, …: 64 h 3 min in all. What fails once more is given up. */
export const WAIT_SECONDS: readonly number[] = [...doublings(MINUTE_SECONDS), ...doublings(HOUR_SECONDS)];

export const LONGEST_WAIT_SECONDS = Math.max(...WAIT_SECONDS);

/** An endpoint that asks for more is asked again after a day. */
export const RETRY_AFTER_SECONDS_MAX = 24 * HOUR_SECONDS;
