import { findSubscription, type SubscriptionRow } from '../../contracts/subscriptions/queries.ts';
import type { Termination } from '../../contracts/subscriptions/schema.ts';
import {
  earliestEndFor,
  terminateForCustomer,
  withdrawalFor,
} from '../../contracts/subscriptions/service.ts';
import { findCustomer } from '../../identity/customers/queries.ts';
import type { Connection } from '../../platform/database/db.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { enqueue } from '../../platform/jobs/enqueue.ts';
import {
  addDays,
  berlinDayAt,
  berlinDayOf,
  berlinMidnight,
  type CalendarDay,
} from '../../platform/time/berlin-calendar.ts';
import { mailReceiptJob } from './jobs.ts';
import { receiptLines } from './mail-receipt.ts';
import {
  contractPath,
  dayText,
  type FormOutcome,
  isNeverSupplied,
  lastDayBefore,
  PortalFailure,
  type PortalPage,
  type PortalSite,
  toldFailure,
  type Visit,
} from './pages.ts';
import { isoDay } from './readings.ts';
import type { Texts } from './texts.ts';

const KINDS = ['ORDINARY', 'MOVE_OUT'] as const;
type Kind = (typeof KINDS)[number];

const TYPED_CHARACTERS_MAX = 40;
const lastDay = wireSchemas.date();

interface EndingForm {
  kind: Kind;
  /** Last day of supply; empty: the earliest. */
  day: string;
  error: string | null;
}

/**
 * The end of a contract by its customer. Termination as section 312k BGB asks for it: one button that leads to the page on
 * which it is declared, one that declares it, a receipt with day and time that can be kept, and the same by mail.
 * Withdrawal alike (section 356a BGB).
 */
export function endingPages(site: PortalSite): void {
  const { deps, path, contractPage } = site;
  const todayIs = () => berlinDayAt(deps.clock.nowMilliseconds());

  async function terminatePage(
    visit: Visit,
    contract: SubscriptionRow,
    { kind, day, error }: EndingForm,
    status = 200,
  ): Promise<PortalPage> {
    const { t } = visit;
    const { organization } = visit.visitor;
    const earliest = await deps.database.inOrganization({ organization }, async (connection) => {
      const of = (reason: Kind) => earliestEndFor(connection, organization, contract, reason, todayIs());
      return { ORDINARY: await of('ORDINARY'), MOVE_OUT: await of('MOVE_OUT') };
    });
    const kinds = KINDS.flatMap((name) => {
      const end = earliest[name];
      if (end === null) return [];
      return [{ name, words: t.kinds[name], hint: t.earliestDay(dayText(t, addDays(end, -1))) }];
    });
    return {
      ...{ template: 'terminate', title: t.terminateTitle, status },
      values: {
        ...{ kinds, kind, day, error, isFeedIn: contract.type === 'feed_in' },
        isPending: contract.start_at === null,
        mayWithdraw: contract.start_at === null && (await withdrawalOf(visit, contract)) === 'open',
        inForce: contract.end_at === null ? null : t.endsOn(dayText(t, lastDayBefore(contract.end_at))),
      },
    };
  }

  contractPage({
    name: 'terminate',
    show: async (visit, contract) =>
      contract.status === 'ended' || isNeverSupplied(contract)
        ? whenEnded(contract)
        : await terminatePage(visit, contract, { kind: 'ORDINARY', day: '', error: null }),
    send: async (visit, contract) => {
      const kind = KINDS.find((name) => name === textOf(visit.body, 'kind')) ?? 'ORDINARY';
      const day = isoDay(textOf(visit.body, 'day').trim().slice(0, TYPED_CHARACTERS_MAX));
      const again = (error: string, status: number) =>
        contract.status === 'ended'
          ? Promise.resolve(whenEnded(contract))
          : terminatePage(visit, contract, { kind, day, error }, status);
      const isDay = day === '' ? kind === 'ORDINARY' : lastDay.safeParse(day).success;
      if (!isDay) return await again(visit.t.notADay, 400);
      return await declare(visit, contract, terminationOf(kind, day), again);
    },
  });

  contractPage({
    name: 'withdraw',
    show: async (visit, contract) => {
      if (contract.termination_reason === 'WITHDRAWAL') return whenEnded(contract);
      const refusal = await withdrawalRefusal(visit, contract);
      return withdrawPage(visit.t, refusal === null ? 200 : 409, refusal);
    },
    send: (visit, contract) =>
      declare(visit, contract, { reason: 'WITHDRAWAL' }, async (words, status) => {
        const refusal = await withdrawalRefusal(visit, await rowNow(visit, contract));
        return withdrawPage(visit.t, status, refusal ?? words);
      }),
  });

  contractPage({
    name: 'ended',
    show: async ({ t }, contract) => {
      if (contract.terminated_at === null) throw new PortalFailure('not_found', 404);
      return {
        template: 'ended',
        title: t.receiptTitle,
        values: { lines: receiptLines(t, contract), isMailed: deps.mail.isOn },
      };
    },
  });

  function withdrawalOf({ visitor }: Visit, contract: SubscriptionRow) {
    const { organization, customer } = visitor;
    return deps.database.inOrganization(visitor, async (connection) => {
      const row = await findCustomer(connection, organization, customer);
      return await withdrawalFor(connection, organization, contract, row?.type, todayIs());
    });
  }

  /** Why there is no withdrawal; null where there is. */
  async function withdrawalRefusal(visit: Visit, contract: SubscriptionRow): Promise<string | null> {
    const { t } = visit;
    const state = await withdrawalOf(visit, contract);
    if (state === 'open') return null;
    if (state === 'over' || contract.end_at === null) return t.withdrawalOver;
    return `${t.endsOn(dayText(t, lastDayBefore(contract.end_at)))} ${t.noEarlierEnd}`;
  }

  /** Declares it once: who presses twice gets the receipt of the first time. */
  async function declare(
    visit: Visit,
    contract: SubscriptionRow,
    termination: Termination,
    again: (words: string, status: number) => Promise<FormOutcome>,
  ): Promise<FormOutcome> {
    const receipt = { to: contractPath(path, contract.id, 'ended') };
    try {
      await terminateForCustomer(deps, visit.visitor, contract.id, termination, visit.trace, (connection) =>
        keepReceipt(connection, visit, contract.id),
      );
    } catch (error) {
      const told = toldFailure(error, visit.t.endingErrors);
      if (told === undefined) throw error;
      return isInForce(await rowNow(visit, contract), termination) ? receipt : again(told.words, told.status);
    }
    return receipt;
  }

  /** Its mail is asked for in the transaction of the declaration: it lasts, and is tried again. */
  async function keepReceipt(connection: Connection, { visitor, t }: Visit, subscription: string) {
    const { organization, customer } = visitor;
    const row = await findSubscription(connection, organization, customer, subscription);
    const { termination_reason, terminated_at, end_at } = row ?? {};
    if (!termination_reason || !terminated_at || !end_at)
      throw new Error(`${subscription} was not terminated`);
    const declared = { termination_reason, terminated_at, end_at };
    const runAt = deps.clock.now().toISOString();
    await enqueue(connection, mailReceiptJob, { subscription, language: t.lang, ...declared }, { runAt });
  }

  async function rowNow({ visitor }: Visit, { id }: SubscriptionRow): Promise<SubscriptionRow> {
    const { organization, customer } = visitor;
    const row = await deps.database.inOrganization(visitor, (connection) =>
      findSubscription(connection, organization, customer, id),
    );
    if (row === undefined) throw new PortalFailure('not_found', 404);
    return row;
  }

  /** A contract that ended without a word of its customer has no receipt. */
  function whenEnded({ id, terminated_at }: SubscriptionRow): FormOutcome {
    if (terminated_at === null) throw new PortalFailure('not_found', 404);
    return { to: contractPath(path, id, 'ended') };
  }
}

function withdrawPage(t: Texts, status: number, refusal: string | null): PortalPage {
  return { template: 'withdraw', title: t.withdrawTitle, status, values: { refusal } };
}

function terminationOf(reason: Kind, day: CalendarDay | ''): Termination {
  const intended_end_at = day === '' ? undefined : berlinMidnight(addDays(day, 1));
  return reason === 'ORDINARY'
    ? { reason, ...(intended_end_at !== undefined && { intended_end_at }) }
    : { reason, intended_end_at: intended_end_at ?? '' };
}

function isInForce(row: SubscriptionRow, termination: Termination): boolean {
  if (row.termination_reason !== termination.reason || row.end_at === null) return false;
  if (termination.reason === 'WITHDRAWAL' || termination.intended_end_at === undefined) return true;
  return berlinDayOf(termination.intended_end_at) === berlinDayOf(row.end_at);
}
