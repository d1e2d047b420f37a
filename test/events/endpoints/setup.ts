import { topics } from '../../../src/api/topics.ts';
import { type CreatedEndpoint, createEndpoint } from '../../../src/events/endpoints/create.ts';
import type { NewEndpointInput } from '../../../src/events/endpoints/schema.ts';
import type { StaffAct } from '../../../src/platform/staff-act.ts';
import type { TestApi } from '../../setup/api.ts';
import { HERE } from '../requests/receiver.ts';

export function actAt(api: Pick<TestApi, 'deps'>, command = 'webhooks create'): StaffAct {
  return { staff: 'ada', reason: 'ticket 17', command, now: api.deps.clock.now().toISOString() };
}

/** What the functions of endpoints work with; receivers may listen on this machine. */
export function depsOf({ deps }: Pick<TestApi, 'deps'>) {
  const { database, config, clock } = deps;
  return { database, config, clock, rules: HERE, topics };
}

export async function makeEndpoint(
  api: Pick<TestApi, 'deps'>,
  organization: string,
  input: Partial<NewEndpointInput> = {},
): Promise<CreatedEndpoint & { id: string }> {
  const fields = { url: 'http://127.0.0.1:9/hook', ...input };
  const created = await createEndpoint(depsOf(api), organization, fields, actAt(api));
  return { ...created, id: created.endpoint.id };
}
