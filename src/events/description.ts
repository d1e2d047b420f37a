import { z } from 'zod';
import type { WebhookDescription } from '../platform/openapi/webhooks.ts';
import { type ContextMember, type Topic, testTopic } from './topic.ts';

/* Webhooks as the API descriptions and the page of topics tell of them. */

type DescribedTopic = Pick<Topic, 'name' | 'when' | 'context'>;

const WEBHOOK_HEADERS = [
  {
    name: 'webhook-id',
    description: 'The id of the event, the same on every attempt: ignore one that you have had before.',
    example: 'evt_096h7tbtcaoe2c1exfawakq3',
  },
  {
    name: 'webhook-timestamp',
    description: 'Seconds since 1970 of this attempt: refuse one that is more than five minutes off.',
    example: '1796079604',
  },
  {
    name: 'webhook-signature',
    description:
      '`v1,` and the signature in base64 by Standard Webhooks; two, with a space between, while a secret is changed.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
] as const;

const ANSWERS = {
  '2XX': { description: 'Taken; nothing is sent again.' },
  '410': { description: 'The endpoint is switched off, and what waits for it is cancelled.' },
  '429': { description: 'Sent again later, after `Retry-After` where that is named; 503 is treated alike.' },
  default: {
    description:
      'Sent again, up to 12 times within 64 hours. So is a redirect, which is not followed, and no answer within 30 seconds.',
  },
};

const EXAMPLE_CHARACTERS = 'jule0brandt0strom0000001';

/** The requests to endpoints for each topic, in every version of the interface alike. */
export function webhookDescriptions(topics: readonly Topic[]): WebhookDescription[] {
  return [...topics, testTopic].map((topic) => ({
    name: topic.name,
    operationId: `on${wordOf(topic.name)}`,
    /* A title is plain text. */
    summary: topic.when.split('. ')[0]?.replace(/\.$/, '').replaceAll('`', '') ?? '',
    description: topic.when,
    tag: 'Webhooks',
    parameters: WEBHOOK_HEADERS.map(({ example, ...header }) => ({
      ...header,
      in: 'header',
      required: true,
      schema: { type: 'string' },
      example,
    })),
    body: webhookBody(topic),
    example: webhookExample(topic),
    responses: ANSWERS,
  }));
}

/** The schema of the body that endpoints get for one topic. */
function webhookBody({ name, context }: DescribedTopic): z.ZodType {
  const id = z.string().regex(name === testTopic.name ? /^evt_test_[0-9a-z]{24}$/ : /^evt_[0-9a-z]{24}$/);
  const ids = Object.entries(context).map(([member, kind]) => [member, schemaOf(member, kind)] as const);
  return z
    .object({
      id: id.meta({ description: 'Id of the event, the same as `webhook-id`' }),
      topic: z.literal(name).meta({ description: 'What happened' }),
      timestamp: z.iso.datetime().meta({ description: 'When it happened' }),
      context: z
        .object(Object.fromEntries(ids))
        .meta({ description: 'Ids of what it is about; read the resource for everything else' }),
    })
    .meta({ id: `${wordOf(name)}Event` });
}

function schemaOf(member: string, { id, optional }: ContextMember): z.ZodType {
  const schema = z
    .string()
    .regex(new RegExp(`^${id}_[0-9a-z]{24}$`))
    .meta({ description: `Id of the ${member.replaceAll('_', ' ')}` });
  return optional === true ? schema.optional() : schema;
}

function webhookExample({ name, context }: DescribedTopic): object {
  const ids = Object.entries(context).map(([member, { id }]) => [member, `${id}_${EXAMPLE_CHARACTERS}`]);
  const prefix = name === testTopic.name ? 'evt_test' : 'evt';
  return {
    id: `${prefix}_096h7tbtcaoe2c1exfawakq3`,
    topic: name,
    timestamp: '2026-11-30T23:00:04.481Z',
    context: Object.fromEntries(ids),
  };
}

/** `meter_order.check_submitted` becomes `MeterOrderCheckSubmitted`. */
function wordOf(name: string): string {
  return name
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
