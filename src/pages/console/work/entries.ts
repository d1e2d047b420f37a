import { assignEntry, setEntryAside, unassignEntry } from '../../../billing/payments/assign.ts';
import { type BankEntryRow, findEntry } from '../../../billing/payments/entry-queries.ts';
import { listBillsOfEntry } from '../../../billing/payments/list.ts';
import { type SuggestedBill, suggestBills } from '../../../billing/payments/suggest.ts';
import { maskedIban } from '../../../contracts/payment-methods/service.ts';
import { dayText, eurosText } from '../../../platform/http/pages/chart.ts';
import { isId } from '../../../platform/ids.ts';
import { Exact } from '../../../platform/money.ts';
import { type ActForm, actOf, auditRead, typedIn, wrong } from '../forms.ts';
import { CONSOLE_PATH, ConsoleFailure, type ConsoleSite, type FormBack, WORK } from '../pages.ts';
import type { Texts } from '../texts.ts';
import { noteText, suggestionText } from './words.ts';

/** The movement of a block is on thousands of bills of as many customers. */
const BILLS_SHOWN = 20;

/** One movement on the account: what it says, what it may be for, and the forms that say what it is for. */
export function entryPages({ deps, page, form }: ConsoleSite): void {
  const { database } = deps;

  page(`${WORK}/payments/:id`, async (visit) => {
    const { t, visitor, params } = visit;
    const { organization } = visitor;
    const { id = '' } = params;
    const found = await database.inOrganization({ organization }, async (connection) => {
      const entry = isId(id) ? await findEntry(connection, organization, id) : undefined;
      if (entry === undefined) throw new ConsoleFailure('not_found', 404);
      const isOpen = entry.state === 'unmatched' || entry.state === 'set_aside';
      const suggested = await suggestBills(connection, organization, isOpen ? [entry] : []);
      const bills = await listBillsOfEntry(connection, organization, id, BILLS_SHOWN + 1);
      const fitting = suggested.get(id) ?? [];
      const shown = [...bills.slice(0, BILLS_SHOWN), ...fitting].map((bill) => bill.id);
      await auditRead(connection, visit, [id, ...shown]);
      return { entry, bills, isOpen, suggested: fitting };
    });
    const { entry, bills, isOpen, suggested } = found;
    const state = [t.work.states[entry.state], noteText(entry.note, t)].filter((text) => text !== '');
    const said: readonly (readonly [name: string, value: string | null])[] = [
      [t.work.stage, state.join(': ')],
      [t.work.day, dayText(entry.booked_on, t.lang)],
      [t.work.amount, eurosText(entry.amount, t)],
      [t.work.payer, entry.name],
      [t.work.account, entry.iban === null ? null : maskedIban(entry.iban)],
      [t.work.said, entry.text],
      [t.work.endToEndId, entry.end_to_end_id],
      [t.work.returnReason, entry.return_reason],
    ];
    const facts = said.flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
    const assigned = bills.slice(0, BILLS_SHOWN).map((bill) => ({
      name: t.work.bookedOn,
      value: `${bill.invoice_number}, ${eurosText(bill.amount, t)}`,
      address: `${CONSOLE_PATH}/contracts/${bill.subscription_id}/bills/${bill.id}`,
    }));
    const more = bills.length > BILLS_SHOWN ? [{ name: t.work.bookedOn, value: t.work.andMore }] : [];
    const isAssigned =
      entry.state === 'booked' && bills.length > 0 && bills.every((bill) => bill.file_id === null);
    const isReturn = entry.return_reason !== null;
    return {
      ...{ template: 'item', of: 'work', title: t.work.movement },
      values: {
        facts: [...facts, ...assigned, ...more],
        note: isOpen && isReturn ? t.work.cameBack : null,
        forms: [
          ...(isOpen && !isReturn ? [assignForm(entry, suggested, t)] : []),
          ...(entry.state === 'unmatched' ? [asideForm(id, t)] : []),
          ...(isAssigned ? [unassignForm(id, t)] : []),
        ],
      },
    };
  });

  const toEntry: FormBack = ({ params: { id = '' } }) => `${WORK}/payments/${id}`;

  form(`${WORK}/payments/:id/assign`, toEntry, async (visit) => {
    const [bill, typed] = [typedIn(visit, 'bill'), typedIn(visit, 'to')];
    if (bill !== '' && typed !== '') throw wrong('to', 'Leave it empty, or choose another one above');
    const to = bill || typed;
    if (to === '') throw wrong('to', 'Needed: the number of a bill or a contract');
    await assignEntry(to, deps, visit.visitor.organization, visit.params.id ?? '', actOf(deps, visit));
    return undefined;
  });

  form(`${WORK}/payments/:id/unassign`, toEntry, async (visit) => {
    await unassignEntry(deps, visit.visitor.organization, visit.params.id ?? '', actOf(deps, visit));
    return undefined;
  });

  form(`${WORK}/payments/:id/set-aside`, toEntry, async (visit) => {
    await setEntryAside(deps, visit.visitor.organization, visit.params.id ?? '', actOf(deps, visit));
    return undefined;
  });
}

function unassignForm(id: string, t: Texts): ActForm {
  return {
    ...{ act: 'unassign', words: t.work.unassign, hint: t.work.unassignHint, fields: [] },
    action: `${CONSOLE_PATH}${WORK}/payments/${id}/unassign`,
  };
}

function assignForm(
  { id, amount }: Pick<BankEntryRow, 'id' | 'amount'>,
  suggested: readonly SuggestedBill[],
  t: Texts,
): ActForm {
  const options = [
    ...suggested.map((bill) => [bill.invoice_number, suggestionText(bill, t)] as const),
    ['', t.work.isOther] as const,
  ];
  /* The amount alone may be owed by several. */
  const fitting = suggested.filter(
    ({ missing, reasons }) =>
      new Exact(missing).eq(amount) && reasons.some((speaksForIt) => speaksForIt !== 'amount'),
  );
  const [only] = fitting.length === 1 ? fitting : [];
  const chosen = only !== undefined && { value: only.invoice_number };
  return {
    ...{ act: 'assign', words: t.work.assign, hint: t.work.assignHint },
    action: `${CONSOLE_PATH}${WORK}/payments/${id}/assign`,
    fields: [
      ...(suggested.length === 0
        ? []
        : [{ name: 'bill', label: t.work.suggestions, type: 'radio', options, ...chosen } as const]),
      { name: 'to', label: t.work.otherBill, type: 'text' },
    ],
  };
}

function asideForm(id: string, t: Texts): ActForm {
  return {
    ...{ act: 'aside', words: t.work.setAside, hint: t.work.setAsideHint, fields: [] },
    action: `${CONSOLE_PATH}${WORK}/payments/${id}/set-aside`,
  };
}
