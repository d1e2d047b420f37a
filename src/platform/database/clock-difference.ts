import type { DatabaseClock } from '../clock.ts';
import type { Database } from './db.ts';

/**
 * Milliseconds that the database is ahead of the machine's clock on the wall. The clock gets the difference to the process,
 * so that all processes agree on "now". A question that took a while says only that the difference lies within half of that
 * while: the clock is moved when the new measurement contradicts it, not by every wobble of the network.
 */
export async function adjustClock(
  database: Pick<Database, 'withClient'>,
  clock: DatabaseClock,
  wallMilliseconds: () => number = Date.now,
): Promise<number> {
  return await database.withClient(async (client) => {
    const [sentAt, wallSentAt] = [clock.steadyMilliseconds(), wallMilliseconds()];
    const { rows } = await client.query<{ now: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
    );
    const [receivedAt, wallReceivedAt] = [clock.steadyMilliseconds(), wallMilliseconds()];
    const [answer] = rows;
    if (answer === undefined) throw new Error('The database did not tell its time');
    const uncertainty = Math.abs(receivedAt - sentAt) / 2;
    const measured = answer.now - (sentAt + receivedAt) / 2;
    if (Math.abs(measured - clock.offsetMilliseconds()) > uncertainty) clock.setOffsetMilliseconds(measured);
    return answer.now - (wallSentAt + wallReceivedAt) / 2;
  });
}
