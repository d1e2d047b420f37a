import type { FakeClock } from '../../setup/clock.ts';
import type { DeliveryFixture, TestWorker } from './delivery-fixture.ts';

const HOUR_MILLISECONDS = 3_600_000;

/** Hours pass, one by one or so many at a time, with the sweep before each look of the worker. */
export async function hourByHour(
  { fixture, clock, worker }: { fixture: DeliveryFixture; clock: FakeClock; worker: TestWorker },
  hours: number,
  atOnce = 1,
): Promise<void> {
  for (let hour = 0; hour < hours; hour += atOnce) {
    clock.advance(atOnce * HOUR_MILLISECONDS);
    await fixture.sweep();
    await worker.work();
  }
}
