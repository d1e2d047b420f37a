import type { Topic } from './events/topic.ts';
import { invoiceTopics } from './invoices/topics.ts';
import { meterOrderTopics } from './meter-orders/topics.ts';
import { subscriptionTopics } from './subscriptions/topics.ts';

/**
 * Every topic, one line for each noun that tells something. The routes of events, the command line, the API description
 * and the page of topics read this list.
 */
export const topics: readonly Topic[] = [
  ...Object.values(subscriptionTopics),
  ...Object.values(invoiceTopics),
  ...Object.values(meterOrderTopics),
];
