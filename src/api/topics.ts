import { invoiceTopics } from '../billing/invoices/topics.ts';
import { meterOrderTopics } from '../contracts/meter-orders/topics.ts';
import { subscriptionTopics } from '../contracts/subscriptions/topics.ts';
import type { Topic } from '../events/topic.ts';

/**
 * Every topic, one line for each noun that tells something. The routes of events, the command line, the API description
 * and the page of topics read this list.
 */
export const topics: readonly Topic[] = [
  ...Object.values(subscriptionTopics),
  ...Object.values(invoiceTopics),
  ...Object.values(meterOrderTopics),
];
