import type { Topic } from '../../events/topic.ts';
import type { WebhookDescription } from '../../platform/openapi/webhooks.ts';
import { partsOf, renderPage } from './pages.ts';

/** What the service tells by itself: every topic, and what a receiver gets. */
export function topicsPage(topics: readonly Topic[], webhooks: readonly WebhookDescription[]): string {
  const topicOf = new Map(topics.map((topic) => [topic.name, topic]));
  const shown = webhooks.map(({ name, description }) => {
    const { since = null, context = {} } = topicOf.get(name) ?? {};
    const members = Object.entries(context).map(([member, { optional }]) => ({
      ...{ name: member, isOptional: optional === true },
    }));
    return { name, words: name.split(/(?<=[._])/), when: partsOf(description), since, members };
  });
  const headers = webhooks[0]?.parameters.map(({ name, description }) => ({
    ...{ name, description: partsOf(String(description)) },
  }));
  const example = JSON.stringify(webhooks[0]?.example, null, 2);
  return renderPage('topics', { title: 'Events and webhooks', topics: shown, headers, example });
}
