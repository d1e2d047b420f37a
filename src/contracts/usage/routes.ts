import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, route } from '../../platform/interface/route.ts';
import { isLongPeriod } from '../../spot-prices/service.ts';
import { createUsage } from './read.ts';
import { consumption, type Usage, type UsageQuery, usage, usageQuery } from './schema.ts';

const TAG = 'Usage';

const DESCRIPTION =
  'Of smart meters by quarter hours: values of the metering operator are `final`; until they come, values measured at ' +
  'the grid connection of the household stand in for them from 16:00 of the next day, `preliminary` until 16:00 of the ' +
  '8th working day of the following month. From that instant they are `final`, and only the metering operator replaces ' +
  'them. Of analog meters by months: the difference between two readings, spread by the load profile of households, is ' +
  '`final`, and `preliminary` next to an estimate; before the first and after the latest reading the estimate of the ' +
  'contract is `preliminary`. Where the meter changed within the period, the answer has months. ' +
  'Days, weeks and months are those of Berlin, cut at `start` and `end`; a sum is `final` when all of its values are.';

const shown: Usage = {
  object: 'usage',
  meter_type: 'analog',
  resolution: 'month',
  data: [
    { start: '2026-10-31T23:00:00Z', usage: 281.4071, type: 'final' },
    { start: '2026-11-30T23:00:00Z', usage: 312.9, type: 'preliminary' },
  ],
};

/** The same under two names; each version has one of them. */
export function usageRoutes(deps: Deps): ApiRoute[] {
  const { getUsage, getConsumption } = createUsage(deps);
  const both = {
    method: 'GET',
    description: DESCRIPTION,
    tag: TAG,
    customerTokens: 'own',
    readsPersonalData: true,
    query: usageQuery,
    /*
     * A short period of an old contract can be the first question about years that have to be frozen. Of an analog meter, a
     * period without start or end is as long as what is known of it.
     */
    turn: ({ start, end }: UsageQuery) =>
      start !== undefined && end !== undefined && !isLongPeriod(start, end) ? 'short' : 'long',
  } as const;
  return [
    route({
      ...both,
      path: '/subscriptions/{id}/usage',
      summary: 'Usage of a subscription',
      response: usage,
      example: { response: shown },
      handler: getUsage,
    }),
    route({
      ...both,
      path: '/subscriptions/{id}/consumption',
      summary: 'Consumption of a subscription',
      response: consumption,
      example: { response: { ...shown, object: 'consumption' } },
      handler: getConsumption,
    }),
  ];
}
