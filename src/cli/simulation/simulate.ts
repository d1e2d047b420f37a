import { systemClock } from '../../platform/clock.ts';
import { command } from '../engine/command.ts';
import { flag, JSON_OBJECT, needed, option, or, wholeNumberFrom } from '../engine/fields.ts';
import { commandIo } from '../engine/io.ts';
import { withoutSession } from '../engine/session.ts';
import { BATCH_ROWS_MAX, composeBatch, instantsFrom } from './batch.ts';
import { GATEWAY, gatewayCredentials } from './credentials.ts';
import { describe, equipHousehold, findSimulatedHousehold } from './fleet-assets.ts';
import { Gateway } from './gateway.ts';

const HOURS_MAX = 8_760;
const HOUR_SECONDS = 3_600;
/** With the pauses between them some four seconds. */
const TRIES_MAX = 4;

export const commands = command({
  words:
    'sends what the devices of a household could have measured up to now: sun, battery, car, heat pump; as its gateway would, over the interface',
  examples: [
    '--household dom_… --equip --hours 48',
    '--household dom_… --base-url https://energy.example.com --client-id oac_… --secret-stdin --equip < ./secret',
  ],
  notes: [
    'Values are invented and follow from household, device and instant: sent again, they are counted as duplicates. The household',
    'has no other devices than those that --equip made: invented values never stand beside measured ones.',
  ].join('\n'),
  options: {
    household: needed(option('<id>', 'dom_…, of the organization of the client')),
    hours: or(option('<number>', 'so many hours back', wholeNumberFrom(1, HOURS_MAX)), 1),
    step: or(option('<seconds>', 'between two snapshots of a device', wholeNumberFrom(1, HOUR_SECONDS)), 60),
    equip: flag(
      'makes a solar array with battery, a wallbox and a heat pump in the household, where they are missing',
    ),
    ...GATEWAY,
    ...JSON_OBJECT,
  },
  session: withoutSession,
  work: async (_session, { household: id, hours, step, equip, ...given }) => {
    const { stderr, interruption } = commandIo();
    const gateway = new Gateway({
      ...(await gatewayCredentials(given)),
      connections: 1,
      signal: interruption(),
      triesMax: TRIES_MAX,
      onFailedTry: (reason) => void stderr.write(`Tried again: ${reason}\n`),
    });
    try {
      const found = await findSimulatedHousehold(gateway, id);
      const household = equip === true ? await equipHousehold(gateway, id) : found;
      const { length: devices } = household.assets;
      if (devices === 0) throw new Error(`${id} has no asset in service: --equip makes some`);
      /* The same instants again in the next run. */
      const end = Math.floor(systemClock().nowMilliseconds() / 1_000 / step) * step;
      const count = Math.floor((hours * HOUR_SECONDS) / step);
      const perBatch = Math.max(1, Math.floor(BATCH_ROWS_MAX / devices));
      const sums = { batches: 0, stored: 0, duplicates: 0 };
      for (let first = 0; first < count; first += perBatch) {
        const instants = instantsFrom(
          end - (count - 1 - first) * step,
          Math.min(perBatch, count - first),
          step,
        );
        const answer = await gateway.call('POST', '/asset-snapshots', composeBatch(household, instants));
        if (answer.status !== 200)
          throw new Error(`POST /asset-snapshots: ${answer.status} ${describe(answer.body)}`);
        const { stored, duplicates } = answer.body as { stored: number; duplicates: number };
        sums.batches += 1;
        sums.stored += stored;
        sums.duplicates += duplicates;
      }
      return { household: id, devices, instants: count, ...sums };
    } finally {
      await gateway.close();
    }
  },
});
