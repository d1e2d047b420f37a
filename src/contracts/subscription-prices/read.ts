import { createSharedRead } from '../../platform/database/shared-read.ts';
import type { Deps } from '../../platform/deps.ts';
import type { ApiRequest, PreparedAnswer } from '../../platform/interface/route.ts';
import type { Tenant } from '../../platform/principal.ts';
import { addDays, berlinDays, berlinMilliseconds } from '../../platform/time/berlin-calendar.ts';
import {
  assertDates,
  createPriceKind,
  createToday,
  licenseLink,
  type Period,
  realizedMarks,
  realizedPeriod,
} from '../../spot-prices/service.ts';
import { carriedForwardLinks } from '../../tariffs/day-ahead-means/service.ts';
import { createPriceTexts, nameOf, type PricesState } from './answers.ts';
import { findPricedContract, type PricedContract } from './contract.ts';
import type { SubscriptionPricesQuery } from './schema.ts';
import { type PricedDay, termsOfDays } from './terms-of-days.ts';

type PricesRequest = Pick<
  ApiRequest<SubscriptionPricesQuery>,
  'query' | 'pathId' | 'requires' | 'knows' | 'version'
> & { principal: Tenant };

/** Prices of a contract for a period of days. Its state is read at each request, and written out only where it is new. */
export function createSubscriptionPrices({
  database,
  clock,
  config,
}: Pick<Deps, 'database' | 'clock' | 'config'>) {
  const kindOf = createPriceKind({ database, config });
  const textOf = createPriceTexts(database);
  const sharedText = createSharedRead<string | null>();
  const todayAt = createToday();

  async function readState(
    request: PricesRequest,
    period: Period,
    now: number,
  ): Promise<{ state: PricesState; carried: string[] }> {
    const contract = await database.inOrganization(request.principal, (connection) =>
      findPricedContract(connection, request, period),
    );
    assertDates(period);
    const days = daysOf(period, contract);
    const { terms, origins } = await database.asService((connection) =>
      termsOfDays({ connection, contract }, days),
    );
    const marks = new Map(
      (await realizedMarks(database, period, now)).map((mark) => [mark.deliveryOn, mark]),
    );
    const state = {
      subscription: contract.id,
      period,
      supply: contract.supply,
      days: days.flatMap((day, index) => {
        const ofDay = terms[index];
        return ofDay === undefined ? [] : [{ day, terms: ofDay, mark: marks.get(day.day) }];
      }),
    };
    return { state, carried: carriedForwardLinks(origins, config) };
  }

  return async (request: PricesRequest): Promise<PreparedAnswer> => {
    const now = clock.nowMilliseconds();
    const { start, end } = request.query;
    const period = realizedPeriod(start, end, todayAt(now).day);
    return {
      prepared: true,
      find: async () => {
        const { state, carried } = await readState(request, period, now);
        const name = nameOf(state);
        return {
          /* The version of the interface belongs to the content, as Vary says. */
          name: `${request.version.slice(0, 10)}.${name}`,
          /* No cache keeps it: what is entered of a contract changes prices of days that are long over. */
          headers: {
            link: [licenseLink(config, await kindOf()), ...carried].join(', '),
            vary: 'Authorization, X-API-Version',
          },
          text: () => sharedText(`${name} json`, () => textOf(state, 'json')),
          csv: request.knows('price-tables')
            ? {
                fileName: `prices-${state.subscription}-${start}-${end}.csv`,
                text: () => sharedText(`${name} csv`, () => textOf(state, 'csv')),
              }
            : undefined,
        };
      },
    };
  };
}

/** The days of the period that supply covers, or a part of. */
function daysOf({ first, last }: Period, { supply: { from, to } }: PricedContract): PricedDay[] {
  const days = [...berlinDays(first, last), { day: last, begins: berlinMilliseconds(last) }];
  const end = berlinMilliseconds(addDays(last, 1));
  return days
    .map((day, index) => ({ ...day, ends: days[index + 1]?.begins ?? end }))
    .filter(({ begins, ends }) => from < ends && (to === null || (begins < to && from < to)));
}
