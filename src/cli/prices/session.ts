import { openHttpClient } from '../../platform/http/client.ts';
import { createLogger } from '../../platform/log/logger.ts';
import { createMetrics } from '../../platform/metrics.ts';
import type { PriceParts } from '../../spot-prices/parts.ts';
import { commandIo } from '../io.ts';
import { type Session, withSession } from '../session.ts';

/** What a command about prices works with; `session` for acts that leave an audit line. */
export interface PriceSession {
  readonly session: Session;
  readonly parts: PriceParts;
}

/** Log lines go to standard error: standard output belongs to what the command answers. */
export async function withPriceSession<Result>(
  work: (prices: PriceSession) => Promise<Result>,
): Promise<Result> {
  return await withSession(async (session) => {
    const { config, database, clock } = session;
    const destination = commandIo().stderr;
    const log = createLogger({ level: config.LOG_LEVEL, name: 'cli', destination });
    const http = openHttpClient();
    const metrics = createMetrics({ runtime: false });
    try {
      return await work({ session, parts: { database, clock, log, metrics, config, http } });
    } finally {
      await http.close();
    }
  });
}
