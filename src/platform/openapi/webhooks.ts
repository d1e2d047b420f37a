import type { z } from 'zod';
import type { SchemaComponents } from './schemas.ts';

type Json = Record<string, unknown>;

/** A request that the service sends, to an address that the customer has named. */
export interface WebhookDescription {
  readonly name: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  /** Its headers beside those of HTTP. */
  readonly parameters: readonly Json[];
  readonly body: z.ZodType;
  readonly example: object;
  /** What an answer of the receiver leads to, by status. */
  readonly responses: Json;
}

/** The part `webhooks` of a description. Receivers prove nothing to the service: there is no security scheme. */
export function webhooksOf(webhooks: readonly WebhookDescription[], components: SchemaComponents): Json {
  return Object.fromEntries(
    webhooks.map(({ name, tag, body, example, ...operation }) => {
      const media = { schema: components.response(body), example };
      const requestBody = { required: true, content: { 'application/json': media } };
      return [name, { post: { ...operation, tags: [tag], security: [], requestBody } }];
    }),
  );
}
