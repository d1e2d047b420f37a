import { organization } from '../../identity/organizations/service.ts';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import type { Deps } from '../../platform/deps.ts';
import { Failure } from '../../platform/errors.ts';
import type { ApiRequest, PreparedAnswer } from '../../platform/interface/route.ts';
import type { DeliveryDay } from '../calendar.ts';
import { createPriceKind, licenseLink } from '../price-kind.ts';
import type { PriceType } from '../schema.ts';
import { assertWindow, createToday, type Period, periodOf, secondsToKeep } from './period.ts';
import { createSeriesAnswers } from './series-answers.ts';

/** Periods that were asked for are kept: their calendar costs 60 µs, ten times as much as everything else here. */
const PERIODS_MAX = 1_000;

type Query = { type: PriceType; start?: string | undefined; end?: string | undefined };

/**
 * Day-ahead prices of a period of delivery dates. Forecasts need the organization's enablement, which is looked at after
 * the shape of the dates and before their rules.
 */
export function createSpotPrices({ database, clock, config }: Pick<Deps, 'database' | 'clock' | 'config'>) {
  const answers = createSeriesAnswers(database);
  const todayAt = createToday();
  const periods = new BoundedCache<Period>(PERIODS_MAX);
  const kindOf = createPriceKind({ database, config });

  function allowedPeriod(query: Query, today: DeliveryDay): Period {
    const key = [query.type, query.start, query.end, today].join(' ');
    const known = periods.get(key);
    if (known !== undefined) return known;
    const period = periodOf(query, today);
    assertWindow(query, period);
    periods.set(key, period);
    return period;
  }

  return async ({
    query,
    principal,
    version,
  }: Pick<ApiRequest<Query>, 'query' | 'principal' | 'version'>): Promise<PreparedAnswer> => {
    const nowMilliseconds = clock.nowMilliseconds();
    const today = todayAt(nowMilliseconds);
    if (query.type === 'day_ahead_forecast') await assertEnabled(database, principal.organization);
    const period = allowedPeriod(query, today.day);
    return {
      prepared: true,
      find: async () => {
        const state = await answers.state(period, nowMilliseconds);
        const seconds = secondsToKeep(period, state.complete);
        /* A date that was left out means another day from the next midnight on. */
        const untilMidnight = Math.floor((today.ends - nowMilliseconds) / 1000);
        return {
          /* The version of the interface belongs to the content, as Vary says. */
          name: `${version.slice(0, 10)}.${state.name}`,
          headers: {
            'cache-control': `private, max-age=${period.defaulted ? Math.min(seconds, untilMidnight) : seconds}`,
            link: licenseLink(config, await kindOf()),
            vary: 'Authorization, X-API-Version',
          },
          text: () => answers.text(period, state, 'json'),
          csv: {
            fileName: `spot-${query.type === 'day_ahead' ? 'prices' : 'price-forecasts'}-${period.first}-${period.last}.csv`,
            text: () => answers.text(period, state, 'csv'),
          },
        };
      },
    };
  };
}

async function assertEnabled(database: Deps['database'], id: string): Promise<void> {
  const { forecast_enabled } = await organization(database, id);
  if (!forecast_enabled) {
    throw new Failure('FORBIDDEN', { message: 'Forecast prices are not enabled for your organization' });
  }
}
