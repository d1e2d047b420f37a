import type { ReductionRow } from '../../../src/contracts/grid-fee-reductions/queries.ts';
import type { ReductionStatus, ReductionType } from '../../../src/contracts/grid-fee-reductions/schema.ts';
import { newId } from '../../../src/platform/ids.ts';
import type { StaffAct } from '../../../src/platform/staff-act.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import type { ErrorBody } from '../../telemetry/assets/devices.ts';
import { Contracts } from '../subscriptions/contracts.ts';

export type Contract = Awaited<ReturnType<Contracts['contract']>>;
type ContractInput = NonNullable<Parameters<Contracts['contract']>[0]>;

/** A plan that sells all modules. */
const ALL_MODULES = { sells_module_1: true, sells_module_2: true, sells_module_3: true };

export const moduleType = (module: 1 | 2 | 3): ReductionType => `enwg-14a-module-${module}`;

/** Contracts of plans that sell modules, and their reductions. */
export class Reductions {
  readonly contracts: Contracts;

  private constructor(contracts: Contracts) {
    this.contracts = contracts;
  }

  static async start(instant: string): Promise<Reductions> {
    return new Reductions(await Contracts.start(instant));
  }

  get api() {
    return this.contracts.api;
  }

  get organization() {
    return this.contracts.organization;
  }

  /** Under supply since long ago, with a smart meter unless it is said otherwise. */
  async active(input: ContractInput & { sells?: Partial<typeof ALL_MODULES> } = {}): Promise<Contract> {
    return await this.contracts.active(await this.#withPlan(input));
  }

  /** Not confirmed yet, unless a start is given. */
  async pending(input: ContractInput = {}): Promise<Contract> {
    return await this.contracts.contract(await this.#withPlan(input));
  }

  async #withPlan({ sells, ...input }: ContractInput & { sells?: Partial<typeof ALL_MODULES> }) {
    const plan = await this.contracts.plan({ terms: [{ ...ALL_MODULES, ...sells }] });
    return { plan_id: plan.id, meter_type: 'smart' as const, ...input };
  }

  /** A row without the rules. */
  async stored(
    { id: subscription, place }: Contract,
    type: ReductionType,
    status: ReductionStatus,
    dates: { valid_from?: string; valid_until?: string } = {},
  ): Promise<string> {
    const id = newId('gfr');
    await storedRows(
      this.api,
      `INSERT INTO grid_fee_reductions
         (organization_id, customer_id, subscription_id, id, type, status, valid_from, valid_until, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
      [
        ...[this.organization, place.customer, subscription, id, type, status],
        ...[dates.valid_from ?? null, dates.valid_until ?? null, this.contracts.clock.now().toISOString()],
      ],
    );
    return id;
  }

  async row(id: string): Promise<ReductionRow> {
    return await this.api.deps.database.inOrganization({ organization: this.organization }, (connection) =>
      connection
        .selectFrom('grid_fee_reductions')
        .selectAll()
        .where('organization_id', '=', this.organization)
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
    );
  }

  async rowsOf({ id }: Pick<Contract, 'id'>): Promise<ReductionRow[]> {
    return await this.api.deps.database.inOrganization({ organization: this.organization }, (connection) =>
      connection
        .selectFrom('grid_fee_reductions')
        .selectAll()
        .where('organization_id', '=', this.organization)
        .where('subscription_id', '=', id)
        .orderBy('type')
        .execute(),
    );
  }

  /** Ordered by the interface. */
  async order({ id: subscription }: Pick<Contract, 'id'>, type: unknown, version?: string) {
    const client = await this.contracts.client(version);
    return await client.post<ErrorBody & ReductionRow>('/grid-fee-reductions', { subscription, type });
  }

  act(command: string): StaffAct {
    const now = this.contracts.clock.now().toISOString();
    return { staff: 'ada', reason: 'ticket 17', command, now };
  }

  async countEvents(): Promise<number> {
    const [row] = await storedRows<{ count: number }>(this.api, 'SELECT count(*)::int AS count FROM events');
    return row?.count ?? 0;
  }

  close(): Promise<void> {
    return this.contracts.close();
  }
}
