import { z } from 'zod';
import { badRequest, type ErrorEntry } from '../../platform/errors.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { entriesOf } from '../../platform/interface/zod.ts';
import type { AddressRules } from '../requests/address.ts';
import { addressProblem } from '../requests/check.ts';
import type { Topic } from '../topic.ts';

const DESCRIPTION_CHARACTERS_MAX = 200;
const EMAIL_CHARACTERS_MAX = 254;

const fields = z.strictObject({
  url: z.string(),
  /** Null: all, also those that come later. */
  topics: z.array(z.string()).min(1).nullable(),
  description: wireSchemas.name({ min: 0, max: DESCRIPTION_CHARACTERS_MAX }),
  /** Who is told when it fails or was disabled. */
  contact_email: z.email().max(EMAIL_CHARACTERS_MAX).nullable(),
});

const newEndpoint = fields.extend({
  topics: fields.shape.topics.default(null),
  description: fields.shape.description.default(''),
  contact_email: fields.shape.contact_email.default(null),
});
const endpointChange = fields.partial();
const newListener = newEndpoint.pick({ topics: true, description: true });

export type NewEndpointInput = z.input<typeof newEndpoint>;
export type EndpointChange = Partial<z.output<typeof fields>>;
export type NewListenerInput = z.input<typeof newListener>;

/** What a receiver may be; a listener has no address. */
interface ReceiverRules {
  readonly topics: readonly Topic[];
  readonly rules?: AddressRules;
}

/** All that is wrong with it at once. */
export function checkedEndpoint(input: NewEndpointInput, { topics, rules }: Required<ReceiverRules>) {
  return checked(newEndpoint, input, { topics, rules });
}

export async function checkedChange(
  input: EndpointChange,
  { topics, rules }: Required<ReceiverRules>,
): Promise<EndpointChange> {
  return (await checked(endpointChange, input, { topics, rules })) as EndpointChange;
}

export function checkedListener(input: NewListenerInput, { topics }: ReceiverRules) {
  return checked(newListener, input, { topics });
}

async function checked<Schema extends z.ZodType>(
  schema: Schema,
  input: { url?: string; topics?: string[] | null | undefined },
  { topics, rules }: ReceiverRules,
): Promise<z.output<Schema>> {
  const result = schema.safeParse(input);
  const entries = result.success ? [] : entriesOf(result.error.issues, input);
  if (rules !== undefined && typeof input.url === 'string') {
    const message = await addressProblem(input.url, rules);
    if (message !== null) entries.push({ code: 'custom', field: 'url', message });
  }
  if (Array.isArray(input.topics)) entries.push(...topicProblems(input.topics, topics));
  if (!result.success || entries.length > 0) throw badRequest(entries);
  return result.data;
}

function topicProblems(chosen: readonly string[], topics: readonly Topic[]): ErrorEntry[] {
  const names = topics.map(({ name }) => name);
  const problem = (index: number, message: string): ErrorEntry => ({
    code: 'custom',
    field: `topics.${index}`,
    message,
  });
  return chosen.flatMap((name, index) => {
    if (!names.includes(name)) {
      return [problem(index, `There is no topic ${JSON.stringify(name)}. There are: ${names.join(', ')}`)];
    }
    return chosen.indexOf(name) < index ? [problem(index, `${name} is named twice`)] : [];
  });
}
