import type { NewEvent, Topic } from '../../src/events/topic.ts';
import { newId } from '../../src/platform/ids.ts';

/** An event of a topic with an id of the right kind in each place of its context. */
export function happened(topic: Topic, now: string): NewEvent {
  const ids = Object.entries(topic.context).map(([name, { id }]) => [name, newId(id)]);
  return { topic, context: Object.fromEntries(ids) as NewEvent['context'], now };
}
