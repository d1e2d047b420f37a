import type { Selectable } from 'kysely';
import type { Tables } from '../platform/database/tables.ts';
import { answerText } from '../platform/interface/answer-text.ts';

export type EventRow = Pick<Selectable<Tables['events']>, 'id' | 'topic' | 'timestamp' | 'context'>;

/** An event as it is shown: by `GET /events/{id}` in every version, and as the body of a webhook. */
export interface EventDocument {
  id: string;
  topic: string;
  timestamp: string;
  context: Record<string, string>;
}

export function eventDocument({ id, topic, timestamp, context }: EventRow): EventDocument {
  return { id, topic, timestamp, context: context as Record<string, string> };
}

/** The bytes that are signed and sent, the same on every attempt: they depend on the stored row alone. */
export function eventBody(row: EventRow): string {
  return answerText(eventDocument(row));
}
