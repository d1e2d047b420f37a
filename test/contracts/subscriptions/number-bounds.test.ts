import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { importFirstReferenceData } from '../../../src/tariffs/reference-data/files/import.ts';
import { projectFolder } from '../../rules/project-files.ts';
import { SIGNED_UP_AT, SignUps } from './sign-ups.ts';

let signUps: SignUps;
beforeAll(async () => {
  signUps = await SignUps.start(SIGNED_UP_AT, { alone: true });
  /* The load profile by which an analog meter's usage is estimated. */
  const act = { staff: 'tests', reason: 'test', command: 'test', now: SIGNED_UP_AT };
  await importFirstReferenceData(signUps.api.deps.database, join(projectFolder, 'reference'), act);
});
afterAll(() => signUps?.close());

const usage = (estimated_usage: number) => signUps.body({ meter: signUps.meter({ estimated_usage }) });

describe.each(VERSION_NAMES)('estimated_usage on %s', (version) => {
  test('is at most 1,000,000,000 kWh', async () => {
    for (const kwh of [1_000_000_000.01, 1.7e308]) {
      const [status] = await signUps.refused(usage(kwh), version);
      expect(status).toBe(400);
    }
    expect((await signUps.signUp(usage(1_000_000_000), version)).estimated_usage).toBe(1_000_000_000);
  });
});

test('the largest one is answered with a usage', async () => {
  const known = await signUps.signUp(usage(1_000_000_000));
  await signUps.endAt(known.id, '2026-10-10T22:00:00Z');
  const answer = await (await signUps.client()).get(
    `/subscriptions/${known.id}/usage?start=2026-02-01&end=2026-10-01`,
  );
  expect(answer.status).toBe(200);
});

test('a number of metadata that would be shown as another one is refused', async () => {
  const { id } = await signUps.signUp(signUps.body({ metadata: { crm: 1 } }));
  const client = await signUps.client();
  const change = (number: string) =>
    client.request('PATCH', `/subscriptions/${id}`, { body: `{"metadata":{"crm":${number}}}` });
  for (const number of ['9007199254740993', '12345678901234567890', '-9007199254740993']) {
    const { status, text } = await change(number);
    expect([number, status]).toEqual([number, 400]);
    expect(text).toMatch(
      /too_(?:big|small) in 'metadata.crm': At (?:most|least) -?9007199254740991; a text holds/,
    );
  }
  for (const number of ['9007199254740991', '-9007199254740991', '0.1']) {
    expect((await change(number)).text).toContain(`"metadata":{"crm":${number}}`);
  }
});

test('numbers of metadata are those that need no more room in the database than on the wire', async () => {
  const body = (value: number) => signUps.body({ metadata: { at: { value } } });
  expect(await signUps.refused(body(1.7e308))).toEqual([
    400,
    expect.stringMatching(/^too_big metadata.at.value/),
  ]);
  expect(await signUps.refused(body(-1e22))).toEqual([
    400,
    expect.stringMatching(/^too_small metadata.at.value/),
  ]);
});
