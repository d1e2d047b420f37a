import { networks, ports } from './kinds.ts';

/** Whom webhooks may reach. */
export const webhookVariables = {
  /** Networks that receivers may be in although they are private, also by http and at any port. */
  WEBHOOK_ALLOWED_NETWORKS: networks,
  /** Ports of all other receivers. */
  WEBHOOK_PORTS: ports(443),
};
