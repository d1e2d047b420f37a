import {
  mayFollow,
  type Position,
  STAGES,
  STEPS,
  type StageName,
  type StepName,
} from '../../../src/contracts/meter-orders/moves.ts';
import { newId } from '../../../src/platform/ids.ts';
import { type CommandResult, runCommand } from '../../cli/command-line.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { testEnvironment } from '../../setup/environment.ts';
import {
  createClient,
  createHousehold,
  createOrganization,
  createPlan,
  createSubscription,
  type TestHousehold,
  tokenFor,
} from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';

type SubscriptionInput = NonNullable<Parameters<typeof createSubscription>[3]>;

export const EDISON = '2026-01-29.edison';
export const CURIE = '2026-05-27.curie';
export const GAUSS = '2026-09-08.gauss';

export interface Order {
  id: string;
  subscription: string;
  meter: string;
  place: TestHousehold;
}

export const WHY = ['--reason', 'told by the partner', '--staff', 'ada'];

/** An organization whose plan sells a smart meter, on a service with the clock of the machine, as commands have it. */
export class Orders {
  readonly api: TestApi;
  readonly organization: string;
  readonly plan: string;
  readonly #environment: Record<string, string>;
  #token: Promise<string> | undefined;

  private constructor(api: TestApi, organization: string, plan: string) {
    this.api = api;
    this.organization = organization;
    this.plan = plan;
    this.#environment = testEnvironment(api.database, 'redis://127.0.0.1:1');
  }

  static async start(): Promise<Orders> {
    const api = await startApi();
    const organization = await createOrganization(api.deps);
    const plan = await createPlan(api.deps, organization, {
      terms: [{ smart_meter_product: 'smart-meter-partner-b' }],
    });
    return new Orders(api, organization, plan.id);
  }

  /** One auth client in all versions. */
  async client(version: string = CURIE): Promise<ApiClient> {
    this.#token ??= createClient(this.api.deps, this.organization).then((made) => tokenFor(this.api, made));
    return this.api.client(await this.#token, { version });
  }

  /** A contract on an analog meter that is not supplied yet. */
  async contract(input: SubscriptionInput & { place?: TestHousehold } = {}) {
    const { place = await createHousehold(this.api.deps, this.organization), ...columns } = input;
    const made = await createSubscription(this.api.deps, this.organization, place, {
      plan_id: this.plan,
      ...columns,
    });
    return { ...made, place };
  }

  /** An order of a new contract, at this place of its life. */
  async order(position: Position, input: Parameters<Orders['contract']>[0] = {}): Promise<Order> {
    const contract = await this.contract(input);
    const order = {
      id: newId('prdo'),
      subscription: contract.id,
      meter: contract.meter,
      place: contract.place,
    };
    await storedRows(
      this.api,
      `INSERT INTO meter_orders (organization_id, id, customer_id, subscription_id, product, provider, status, unblocked_status)
       VALUES ($1, $2, $3, $4, 'smart-meter-partner-b', 'partner-b', 'waiting', 'waiting')`,
      [this.organization, order.id, order.place.customer, order.subscription],
    );
    await this.put([{ order, from: position }]);
    return order;
  }

  /** Puts orders there, as if they had come there over every stage, and their meters as they were at first. */
  async put(placed: readonly { order: Pick<Order, 'id' | 'meter'>; from: Position }[]): Promise<void> {
    for (const { order, from } of placed) {
      await storedRows(this.api, PUT, [order.id, ...columnsAt(from)]);
      await storedRows(this.api, 'DELETE FROM meter_changes WHERE meter_id = $1', [order.meter]);
    }
  }

  /** Commands of the noun, one after the other. */
  async run(commands: readonly (readonly string[])[]): Promise<CommandResult[]> {
    const whose = (args: readonly string[]) => [...args, '--organization', this.organization];
    const results: CommandResult[] = [];
    for (const args of commands) {
      results.push(await runCommand(this.#environment, 'meter-orders', ...whose(args)));
    }
    return results;
  }

  async topics({ id }: Pick<Order, 'id'>): Promise<string[]> {
    const rows = await storedRows<{ topic: string }>(
      this.api,
      `SELECT topic FROM events WHERE context ->> 'meter_order' = $1 ORDER BY position`,
      [id],
    );
    return rows.map(({ topic }) => topic);
  }

  close(): Promise<void> {
    return this.api.close();
  }
}

const PUT = `
  UPDATE meter_orders
     SET status = $2, unblocked_status = $3, details_received_at = $4, appointment_at = $5, installed_at = $6,
         activated_at = $7, cancelled_at = $8, cancelled_reason = $9, blocked_at = $10, blocked_reason = $11, entered_steps = $12
   WHERE id = $1`;

function columnsAt({ stage, step }: Position): unknown[] {
  const at = STAGES[stage];
  const reached = (name: StepName) =>
    step !== null && (step === name || mayFollow({ stage: name, step: name }, step));
  const stamp = (is: boolean) => (is ? STAMP : null);
  return [
    ...[at.status, step === null ? at.status : STAGES[step].status, stamp(reached('details_received'))],
    ...[stamp(reached('installation_scheduled')), stamp(reached('installation_finished'))],
    ...[stamp(reached('activated')), stamp(at.kind === 'end')],
    at.kind === 'end' ? at.cancelled_reason : null,
    ...[stamp(at.kind === 'block'), at.kind === 'block' ? at.blocked_reason : null],
    STEP_NAMES.filter((name) => name !== step && reached(name)),
  ];
}

const STEP_NAMES = Object.keys(STEPS) as StepName[];

/** When an order came where a test puts it. */
export const STAMP = '2026-01-15T10:00:00.000Z';

/** What the market reports, as a command: with the date of the visit, and with a device that was not there yet. */
export function commandTo({ id }: Order, { step }: Position, to: StageName): string[] {
  if (to === 'details_received') return ['details-received', id, ...WHY];
  const isMounted = (name: StageName | null) => name !== null && MOUNTED.includes(name);
  const appointment = to === 'installation_scheduled' ? ['--appointment-at', tomorrow()] : [];
  const device = isMounted(to) && !isMounted(step) ? ['--meter-number', `1SMA${id.slice(-8)}`] : [];
  return ['move', id, to, ...WHY, ...appointment, ...device];
}

const MOUNTED: readonly StageName[] = ['installation_finished', 'installed', 'activated'];

/** At an instant that is stored as it is shown. */
export function tomorrow(): string {
  return new Date(Math.floor(Date.now() / 1_000) * 1_000 + 86_400_000).toISOString();
}
