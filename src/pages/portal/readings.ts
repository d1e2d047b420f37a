import { createReadingForCustomer } from '../../contracts/meter-readings/create.ts';
import { listNewestRead, listReplaceable, type ReadingRow } from '../../contracts/meter-readings/queries.ts';
import { readingDays, whyUnfit } from '../../contracts/meter-readings/service.ts';
import type { SubscriptionRow } from '../../contracts/subscriptions/queries.ts';
import { dayText as shortDayText } from '../../platform/http/pages/chart.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { berlinDayAt, berlinMidnight, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import {
  contractPath,
  dayText,
  PortalFailure,
  type PortalPage,
  type PortalSite,
  toldFailure,
  type Visit,
} from './pages.ts';
import type { Texts } from './texts.ts';

const SHOWN_MAX = 10;
const TYPED_CHARACTERS_MAX = 40;
/** Without separators of thousands: 18.342 is another number in another country. */
const KWH = /^\d{1,10}(?:[.,]\d{1,2})?$/;

const readingDay = wireSchemas.date();

/** What was typed, and which field has to be looked at again. */
interface ReadingForm {
  value: string;
  day: string;
  /** Id of the own reading in whose place it comes; empty: of none. */
  correct: string;
  wrong: { field: 'value' | 'day' | null; words: string }[];
}

/** The customer tells what the meter shows. */
export function readingPage({ deps, path, contractPage }: PortalSite): void {
  const today = () => berlinDayAt(deps.clock.nowMilliseconds());
  const readingsOf = ({ visitor: { organization, customer } }: Visit, { id }: SubscriptionRow) =>
    deps.database.inOrganization({ organization, customer }, async (connection) => ({
      rows: await listNewestRead(connection, organization, { customer, subscription: id }, SHOWN_MAX),
      replaceable: await listReplaceable(connection, organization, id),
    }));
  const daysOf = ({ visitor }: Visit, contract: SubscriptionRow) =>
    deps.database.inOrganization(visitor, (connection) =>
      readingDays(connection, visitor.organization, contract, today()),
    );

  /** The rule that a reading broke, in words. */
  async function unfitText({ visitor, t }: Visit, contract: SubscriptionRow, typed: ReadingForm) {
    const sent = {
      ...{ value: typed.value.replace(',', '.'), read_on: typed.day },
      ...{ replaces: typed.correct, today: today() },
    };
    const why = await deps.database.inOrganization(visitor, (connection) =>
      whyUnfit(connection, visitor.organization, contract, sent),
    );
    if (why === null) return t.readingErrors.implausible_meter_reading ?? '';
    if ('openFrom' in why) return t.suppliersDay(why.openFrom === null ? null : dayText(t, why.openFrom));
    return 'least' in why
      ? t.tooLow(kwhText(t, why.least.toFixed()))
      : t.tooHigh(kwhText(t, why.most.toFixed()));
  }

  async function page(
    visit: Visit,
    contract: SubscriptionRow,
    typed: ReadingForm | null,
    status = 200,
  ): Promise<PortalPage> {
    if (contract.type !== 'consumption') throw new PortalFailure('not_found', 404);
    const { t } = visit;
    const { rows, replaceable } = await readingsOf(visit, contract);
    const chosen = typed?.correct ?? textOf(visit.query, 'correct');
    const corrected = replaceable.find(({ id }) => id === chosen);
    const isFixed = corrected === undefined && rows.some(({ id, type }) => id === chosen && isOwn({ type }));
    const { newest, isThere, open: days, isSmart } = await daysOf(visit, contract);
    const last = days.at(-1) ?? null;
    /* Where the newest one is there, the first day of supply is missing most often. */
    const offered = last === newest ? newest : days[0];
    const unneeded = newest === null ? t.noReadingsTaken : t.suppliersReadings;
    const isYours = replaceable.some(({ read_on }) => read_on === newest);
    const closed = isThere ? t.isThere(isYours) : isSmart ? t.meterSends : unneeded;
    const open = last === newest ? null : t.earlierReading;
    const needless = last === null ? closed : open;
    const said = typed === null ? (isFixed ? t.fixedReading : needless) : null;
    const comma = (value: string) => (t.lang === 'de' ? value.replace('.', ',') : value);
    const stored = rows.find(({ id }) => id === textOf(visit.query, 'stored'));
    return {
      ...{ template: 'reading', title: t.readingTitle, status },
      values: {
        typed: typed ?? {
          ...{ value: comma(corrected?.value ?? ''), day: corrected?.read_on ?? offered, wrong: [] },
        },
        newest:
          [last, corrected?.read_on ?? null]
            .flatMap((day) => day ?? [])
            .toSorted()
            .at(-1) ?? null,
        corrects: corrected?.id ?? '',
        said: corrected === undefined ? said : t.replacesOwn(dayText(t, corrected.read_on)),
        stored:
          stored === undefined ? null : t.readingStored(kwhText(t, stored.value), dayText(t, stored.read_on)),
        readings: rows.map(({ id, read_on, value, type }) => ({
          ...{ day: shortDayText(read_on, t.lang), value: kwhNumber(t, value), by: t.readingTypes[type] },
          correct: replaceable.some((own) => own.id === id)
            ? `${contractPath(path, contract.id, 'reading')}?correct=${id}`
            : null,
        })),
        hasFixed: rows.some((row) => isOwn(row) && !replaceable.some(({ id }) => id === row.id)),
      },
    };
  }

  contractPage({
    name: 'reading',
    show: (visit, contract) => page(visit, contract, null),
    send: async (visit, contract) => {
      const typed = typedReading(visit);
      if (typed.wrong.length > 0) return await page(visit, contract, typed, 400);
      const value = Number(typed.value.replace(',', '.'));
      const to = (id: string) => `${contractPath(path, contract.id, 'reading')}?stored=${id}`;
      try {
        const reading = {
          ...{ subscription: contract.id, value, timestamp: berlinMidnight(typed.day) },
          ...(typed.correct !== '' && { replaces: typed.correct }),
        };
        const { id } = await createReadingForCustomer(deps, visit.visitor, reading, visit.trace);
        return { to: to(id) };
      } catch (error) {
        const told = toldFailure(error, visit.t.readingErrors);
        if (told === undefined) throw error;
        let { words } = told;
        let { correct } = typed;
        if (told.code === 'duplicate_meter_reading') {
          const { rows, replaceable } = await readingsOf(visit, contract);
          const own = rows.find((row) => row.read_on === typed.day && isOwn(row));
          /* Pressed twice: the reading is there. */
          if (own !== undefined && Number(own.value) === value) return { to: to(own.id) };
          const isReplaceable = (id: string | undefined) => replaceable.some((row) => row.id === id);
          if (correct === '' && own !== undefined && isReplaceable(own.id)) {
            /* Sent once more from the page that says so, it takes its place. */
            correct = own.id;
            words = visit.t.ownIsThere;
          } else if (correct === '' ? own !== undefined : !isReplaceable(correct)) {
            words = visit.t.fixedReading;
          }
        }
        const field = told.field === 'value' ? 'value' : told.field === 'timestamp' ? 'day' : null;
        if (told.code === 'implausible_meter_reading') words = await unfitText(visit, contract, typed);
        const wrong: ReadingForm['wrong'] = [{ field, words }];
        return await page(visit, contract, { ...typed, correct, wrong }, told.status);
      }
    },
  });
}

const isOwn = ({ type }: Pick<ReadingRow, 'type'>) => type === 'customer_report';

function typedReading({ body, t }: Visit): ReadingForm {
  const typedText = (name: string) => textOf(body, name).trim().slice(0, TYPED_CHARACTERS_MAX);
  const value = typedText('value').replaceAll(/\s+/g, '');
  const day = isoDay(typedText('day'));
  const isKwh = KWH.test(value) && Number(value.replace(',', '.')) > 0;
  /* The midnight before the first day of the calendar lies in a year that instants do not have. */
  const isDay = readingDay.safeParse(day).success && day !== '0001-01-01';
  return {
    ...{ value, day, correct: textOf(body, 'correct') },
    wrong: [
      ...(isKwh ? [] : [{ field: 'value' as const, words: t.notKwh }]),
      ...(isDay ? [] : [{ field: 'day' as const, words: t.notADay }]),
    ],
  };
}

/** Browsers without a calendar let people type `31.12.2026`. */
export function isoDay(text: string): CalendarDay {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? [];
  return year === '' ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

const kwhText = (t: Texts, value: string) => `${kwhNumber(t, value)} kWh`;

/** Stored readings have two decimals; what a counter shows at most may have more. */
function kwhNumber(t: Texts, value: string): string {
  const locale = t.lang === 'de' ? 'de-DE' : 'en-GB';
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 2, roundingMode: 'floor' });
  return numbers.format(value as Intl.StringNumericLiteral);
}
