import { performance } from 'node:perf_hooks';

const WINDOW_MILLISECONDS = 3000;

/** Rows per second over the last three seconds. */
export class RateWindow {
  #entries: { at: number; rows: number }[] = [];
  readonly #begin = performance.now();

  add(rows: number): void {
    this.#entries.push({ at: performance.now(), rows });
  }

  perSecond(): number {
    const now = performance.now();
    this.#entries = this.#entries.filter((entry) => entry.at > now - WINDOW_MILLISECONDS);
    const rows = this.#entries.reduce((sum, entry) => sum + entry.rows, 0);
    return Math.round((rows * 1000) / Math.min(WINDOW_MILLISECONDS, Math.max(1, now - this.#begin)));
  }
}
