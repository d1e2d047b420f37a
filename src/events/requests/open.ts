import { addressRules } from './rules.ts';
import { openWebhookRequests, type WebhookRequests } from './send.ts';

/** As the configuration of a process lets them go. */
export function openRequests(config: Parameters<typeof addressRules>[0]): WebhookRequests {
  return openWebhookRequests(addressRules(config));
}
