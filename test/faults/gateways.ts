/** What came of the batches of several gateways. */
export interface Tally {
  acknowledged: number;
  failures: string[];
}

export interface GatewayOrder {
  token: string;
  household: string;
  asset: string;
  /** Asked before each batch: the service as it is reached at this moment. */
  url(): string | Promise<string>;
  signal: AbortSignal;
  /** Whether a gateway ends by itself as soon as an answer says that its connection will be closed, or a request fails. */
  untilClosed?: boolean;
}

const GATEWAYS = 6;
const ROWS_PER_BATCH = 20;

/** Gateways that send one batch after the other, each row at an instant of its own, until told to stop. */
export function startGateways(order: GatewayOrder): { tally: Tally; ended: Promise<unknown> } {
  const tally: Tally = { acknowledged: 0, failures: [] };
  const begin = Date.now() - 3_600_000;
  let instants = 0;
  const batch = () => ({
    household: order.household,
    snapshots: Array.from({ length: ROWS_PER_BATCH }, () => ({
      asset: order.asset,
      timestamp: new Date(begin + instants++).toISOString(),
      power_kw: 1.5,
    })),
  });
  const gateway = async () => {
    while (!order.signal.aborted) {
      try {
        const answer = await fetch(`${await order.url()}/asset-snapshots`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${order.token}`,
            'content-type': 'application/json',
            'x-api-version': '2026-09-08.gauss',
          },
          body: JSON.stringify(batch()),
        });
        const text = await answer.text();
        if (answer.status === 200) tally.acknowledged += ROWS_PER_BATCH;
        else tally.failures.push(`${answer.status} ${text}`);
        if (order.untilClosed && answer.headers.get('connection') === 'close') return;
      } catch (error) {
        tally.failures.push(String(error instanceof Error ? (error.cause ?? error) : error));
        if (order.untilClosed) return;
      }
    }
  };
  return { tally, ended: Promise.all(Array.from({ length: GATEWAYS }, gateway)) };
}
