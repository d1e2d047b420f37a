import type { Traces } from '../../platform/traces.ts';
import { addressRules } from './rules.ts';
import { openWebhookRequests, type WebhookRequests } from './send.ts';

/** As the configuration of a process lets them go. */
export function openRequests(
  config: Parameters<typeof addressRules>[0],
  traces: Traces | null = null,
): WebhookRequests {
  const requests = openWebhookRequests(addressRules(config));
  if (traces === null) return requests;
  return {
    ...requests,
    send: (receiver, message, signal) => {
      const url = URL.parse(receiver.url);
      const send = () => requests.send(receiver, message, signal);
      return url === null ? send() : traces.outgoing('POST', url, send, (outcome) => outcome);
    },
  };
}
