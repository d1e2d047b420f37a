import { randomBytes } from 'node:crypto';
import { storeFirstReferenceData } from '../../../src/cli/demo/start/reference-data.ts';
import { registeredClient, type TestClient } from '../../identity/oauth/token-requests.ts';
import { addPlace, NOW } from '../../routes/table/place.ts';
import type { Place } from '../../routes/table/row.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { createTestDatabase } from '../../setup/database.ts';
import { tokenFor } from '../../setup/factories.ts';

/** A service whose pages show the keys of a client, as those of `npm start` do, and the same one without them. */
export interface DemoService {
  demo: TestApi;
  plain: TestApi;
  client: TestClient;
  /** One of everything, in the organization of the client. */
  place: Place;
  close(): Promise<void>;
}

/** What these change they change once, and another call of the same examples is refused for it. */
export const CHANGING = [
  ...['POST /subscriptions', 'POST /subscriptions/{id}/terminate', 'POST /assets/{id}/decommission'],
  ...['POST /grid-fee-reductions', 'POST /meter-orders', 'POST /meter-readings'],
];

export async function startDemoService(): Promise<DemoService> {
  const database = await createTestDatabase();
  const clock = fakeClock(NOW);
  const key = () => randomBytes(32).toString('base64url');
  const environment = { SECRET_PEPPER: key(), ENCRYPTION_KEY: key() };
  const plain = await startApi({ database, environment, clock });
  const client = await registeredClient(plain.deps);
  const demo = await startApi({
    ...{ database, clock },
    environment: {
      ...environment,
      DEMO_CLIENT: `${client.id}:${client.secret}`,
      SNAPSHOT_RETENTION_MONTHS: '0',
    },
  });
  await storeFirstReferenceData(demo.deps.config);
  const keys = { client_id: client.id, client_secret: client.secret ?? '' };
  const token = await tokenFor(demo, keys);
  const place = await addPlace(demo, clock, { organization: client.organization, token });
  const close = async () => {
    await demo.close();
    await plain.close();
    await database.drop();
  };
  return { demo, plain, client, place, close };
}
