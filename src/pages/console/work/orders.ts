import {
  acceptReduction,
  endReduction,
  rejectReduction,
} from '../../../contracts/grid-fee-reductions/move.ts';
import { reductionForStaff } from '../../../contracts/grid-fee-reductions/read.ts';
import {
  type MountedMeter,
  moveMeterOrder,
  rescheduleMeterOrder,
} from '../../../contracts/meter-orders/move.ts';
import { STAGE_NAMES } from '../../../contracts/meter-orders/moves.ts';
import { meterOrderForStaff } from '../../../contracts/meter-orders/read.ts';
import { installSmartMeter } from '../../../contracts/meter-readings/install.ts';
import { READING_KWH_MAX } from '../../../contracts/meter-readings/schema.ts';
import { listNumbersOfSubscriptions } from '../../../contracts/subscriptions/queries.ts';
import { dayText, momentText } from '../../../platform/http/pages/chart.ts';
import { berlinInstant, berlinText } from '../../../platform/time/berlin-calendar.ts';
import {
  type ActField,
  type ActForm,
  actOf,
  auditRead,
  choiceIn,
  dayIn,
  optionalDayIn,
  typedIn,
  wrong,
} from '../forms.ts';
import { CONSOLE_PATH, type ConsoleSite, type FormBack, type Visit, WORK } from '../pages.ts';
import type { Texts } from '../texts.ts';

type MeterOrder = Awaited<ReturnType<typeof meterOrderForStaff>>;
type Reduction = Awaited<ReturnType<typeof reductionForStaff>>;

/** The orders of a contract: their stages, and the forms for reports of metering partner or grid operator. */
export function orderPages({ deps, page, form }: ConsoleSite): void {
  const { database } = deps;
  const named = ({ visitor: { organization }, params: { id = '' } }: Visit) => [organization, id] as const;

  /** Keeps also that the order was looked at. */
  async function contractFact(visit: Visit, id: string) {
    const { t } = visit;
    const [organization, order] = named(visit);
    const numbers = await database.inOrganization({ organization }, async (connection) => {
      await auditRead(connection, visit, order);
      return await listNumbersOfSubscriptions(connection, organization, [id]);
    });
    const address = `${CONSOLE_PATH}/contracts/${id}`;
    return [{ name: t.work.contract, value: numbers.get(id) ?? id, address }];
  }

  page(`${WORK}/meter-orders/:id`, async (visit) => {
    const { t } = visit;
    const order = await meterOrderForStaff(database, ...named(visit));
    const isBlocked = order.status === 'blocked' || order.status === 'blocked_wim';
    return {
      ...{ template: 'item', of: 'work', title: t.work.meterOrder },
      values: {
        facts: [
          ...(await contractFact(visit, order.subscription_id)),
          { name: t.work.stage, value: t.work.stages[order.status] },
          { name: t.work.product, value: `${order.product}, ${order.provider}` },
          { name: t.work.changed, value: momentText(order.updated_at, t.lang) },
          {
            name: t.work.appointment,
            value: momentText(order.appointment_at, t.lang) ?? t.work.noAppointment,
          },
        ],
        forms: [
          ...(isBlocked ? [orderForm(order.id, 'unblock', t.work.unblock, [])] : []),
          ...(order.may_follow.length === 0 ? [] : [moveForm(order, t)]),
          ...(order.public_status === 'scheduled'
            ? [orderForm(order.id, 'reschedule', t.work.reschedule, [appointmentField(order, t)])]
            : []),
        ],
      },
    };
  });

  const toOrder: FormBack = ({ params: { id = '' } }) => `${WORK}/meter-orders/${id}`;
  const moving = { database, clock: deps.clock, installSmartMeter };

  form(`${WORK}/meter-orders/:id/move`, toOrder, async (visit) => {
    const appointment_at = appointmentIn(visit);
    const mounted = mountedIn(visit);
    const reported = {
      to: choiceIn(visit, 'to', STAGE_NAMES),
      ...(appointment_at !== undefined && { appointment_at }),
      ...(mounted !== undefined && { mounted }),
    };
    await moveMeterOrder(moving, ...named(visit), reported, actOf(deps, visit));
    return undefined;
  });

  form(`${WORK}/meter-orders/:id/unblock`, toOrder, async (visit) => {
    await moveMeterOrder(moving, ...named(visit), { to: 'unblocked' }, actOf(deps, visit));
    return undefined;
  });

  form(`${WORK}/meter-orders/:id/reschedule`, toOrder, async (visit) => {
    const at = appointmentIn(visit);
    if (at === undefined) throw wrong('appointment_at', 'Needed: the date of the visit');
    await rescheduleMeterOrder(deps, ...named(visit), at, actOf(deps, visit));
    return undefined;
  });

  page(`${WORK}/reductions/:id`, async (visit) => {
    const { t } = visit;
    const reduction = await reductionForStaff(database, ...named(visit));
    const day = (instant: string | null) => (instant === null ? '–' : dayText(instant, t.lang));
    return {
      ...{ template: 'item', of: 'work', title: t.work.reduction },
      values: {
        facts: [
          ...(await contractFact(visit, reduction.subscription_id)),
          { name: t.work.product, value: reduction.type },
          { name: t.work.stage, value: t.work.reductionStates[reduction.status] },
          { name: t.work.validFrom, value: day(reduction.valid_from) },
          { name: t.work.validUntil, value: day(reduction.valid_until) },
        ],
        forms: reductionForms(reduction, t),
      },
    };
  });

  const toReduction: FormBack = ({ params: { id = '' } }) => `${WORK}/reductions/${id}`;

  form(`${WORK}/reductions/:id/accept`, toReduction, async (visit) => {
    const valid_from = dayIn(visit, 'valid_from');
    await acceptReduction(deps, ...named(visit), { valid_from }, actOf(deps, visit));
    return undefined;
  });

  form(`${WORK}/reductions/:id/reject`, toReduction, async (visit) => {
    await rejectReduction(deps, ...named(visit), actOf(deps, visit));
    return undefined;
  });

  form(`${WORK}/reductions/:id/end`, toReduction, async (visit) => {
    const valid_until = dayIn(visit, 'valid_until');
    await endReduction(deps, ...named(visit), { valid_until }, actOf(deps, visit));
    return undefined;
  });
}

function orderForm(id: string, act: string, words: string, fields: readonly ActField[]): ActForm {
  return { act, words, fields, action: `${CONSOLE_PATH}${WORK}/meter-orders/${id}/${act}` };
}

function moveForm(order: MeterOrder, t: Texts): ActForm {
  const options = order.may_follow.map((stage) => [stage, t.work.stages[stage]] as const);
  return {
    ...orderForm(order.id, 'move', t.work.move, [
      { name: 'to', label: t.work.newStage, type: 'select', options },
      { ...appointmentField(order, t), isNeeded: false, value: '' },
      { name: 'number', label: t.work.meterNumber, type: 'text' },
      { name: 'on', label: t.work.mountedOn, type: 'date' },
      { name: 'closing', label: t.work.closing, type: 'text' },
    ]),
    hint: t.work.moveHint,
  };
}

function appointmentField({ appointment_at }: Pick<MeterOrder, 'appointment_at'>, t: Texts): ActField {
  return {
    ...{ name: 'appointment_at', label: t.work.appointmentAt, type: 'datetime-local', isNeeded: true },
    value: appointment_at === null ? '' : berlinText(appointment_at).slice(0, 'YYYY-MM-DDTHH:MM'.length),
  };
}

function reductionForms({ id, status }: Reduction, t: Texts): ActForm[] {
  const made = (act: string, words: string, fields: readonly ActField[]): ActForm => ({
    ...{ act, words, fields, action: `${CONSOLE_PATH}${WORK}/reductions/${id}/${act}` },
  });
  const day = (name: string, label: string): ActField => ({ name, label, type: 'date', isNeeded: true });
  if (status === 'activated') return [made('end', t.work.end, [day('valid_until', t.work.validUntil)])];
  if (status !== 'ordered') return [];
  return [
    made('accept', t.work.accept, [day('valid_from', t.work.validFrom)]),
    made('reject', t.work.reject, []),
  ];
}

function appointmentIn(visit: Visit): string | undefined {
  const typed = typedIn(visit, 'appointment_at');
  if (typed === '') return undefined;
  const instant = berlinInstant(typed);
  if (instant === null) throw wrong('appointment_at', 'Not a day and a time (2026-11-24T09:00)');
  return instant;
}

/** The device that was mounted, where one is told. */
function mountedIn(visit: Visit): MountedMeter | undefined {
  const number = typedIn(visit, 'number');
  const on = optionalDayIn(visit, 'on');
  const closing = typedIn(visit, 'closing').replace(',', '.');
  if (number === '') {
    if (on === undefined && closing === '') return undefined;
    throw wrong('number', 'Needed: day and last value belong to a meter that was mounted');
  }
  if (closing !== '' && !(/^\d{1,12}(?:\.\d{1,6})?$/.test(closing) && Number(closing) <= READING_KWH_MAX)) {
    throw wrong('closing', `A number of at most ${READING_KWH_MAX}, as 18342.7`);
  }
  return { number, ...(on !== undefined && { on }), ...(closing !== '' && { closing }) };
}
