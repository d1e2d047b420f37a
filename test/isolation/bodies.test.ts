import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouteName } from '../../src/platform/interface/route.ts';
import { missingIds } from '../routes/table/place.ts';
import type { Ids } from '../routes/table/row.ts';
import { methodOf, routeNames, rowOf, versionHeaderOf } from '../routes/table/table.ts';
import type { ErrorBody } from '../telemetry/assets/devices.ts';
import { type Fixture, leaks, startFixture, told } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.close());

const withReferences = routeNames.filter((name) => Object.keys(rowOf(name).references ?? {}).length > 0);
const withBody = routeNames.filter((name) => rowOf(name).references !== undefined);

function send(name: RouteName, ids: Ids, body: Record<string, unknown>) {
  return fixture.tokens['A full'].client.request(methodOf(name), rowOf(name).path(ids), {
    body,
    headers: versionHeaderOf(name),
  });
}

describe.each(withReferences)('%s', (name) => {
  const references = Object.entries(rowOf(name).references ?? {});

  test.each(references)("I04 another organization's %s is as unknown as nothing", async (_field, bodyOf) => {
    const own = fixture.places.a1;
    const before = await fixture.state.whole();
    const missing = told(await send(name, own, bodyOf(own, missingIds())));
    expect([400, 404]).toContain(missing.status);
    for (const place of [fixture.places.b1, fixture.places.b2]) {
      expect(told(await send(name, own, bodyOf(own, place)))).toEqual(missing);
    }
    expect(await fixture.state.whole()).toEqual(before);
  });
});

describe.each(withBody)('%s', (name) => {
  test('I19 a body says nothing about whose a thing is, who it is and when it began', async () => {
    const { a1, a2, b1 } = fixture.places;
    const before = await fixture.state.identities();
    const ofOther = await fixture.state.of(b1.organization);
    for (const stranger of [a2, b1]) {
      const forged = {
        id: stranger.battery,
        key: 1,
        object: 'asset_snapshot_batch',
        organization: stranger.organization,
        organization_id: stranger.organization,
        customer: stranger.customer,
        customer_id: stranger.customer,
        household_id: stranger.household,
        created_at: '2020-01-01T00:00:00Z',
        updated_at: '2020-01-01T00:00:00Z',
        status: 'active',
      };
      const body = rowOf(name).body?.(a1);
      let answer = await send(name, a1, { ...forged, ...body });
      if (methodOf(name) === 'PATCH') {
        /* What the resource has and cannot change is refused, and by a strict route first what nobody knows. */
        expect(answer.status).toBe(400);
        const left = new Map<string, unknown>(Object.entries(forged));
        for (let round = 0; round < 2 && answer.status === 400; round += 1) {
          for (const { code, field } of (answer.body as unknown as ErrorBody).errors ?? []) {
            expect(['custom', 'unrecognized_keys']).toContain(code);
            left.delete(field);
          }
          answer = await send(name, a1, { ...Object.fromEntries(left), ...body });
        }
      }
      expect(answer.status, answer.text).toBe(200);
      expect(leaks(answer.text, fixture.places, ['a1'])).toEqual([]);
      expect(answer.text).not.toContain('2020-01-01');
    }
    const after = await fixture.state.identities();
    expect(before.filter((identity) => !after.includes(identity))).toEqual([]);
    const added = after.filter((identity) => !before.includes(identity));
    for (const identity of added.filter((line) => line.startsWith('assets '))) {
      expect(identity).toContain(`${a1.organization} ${a1.customer} ${a1.household}`);
      expect(identity).toContain('2026-12-01');
    }
    expect(await fixture.state.of(b1.organization)).toEqual(ofOther);
  });
});
