import type { AddressRules } from './address.ts';

/** Where the configuration lets webhooks go. Only a command line may have no base address. */
export function addressRules(config: {
  readonly WEBHOOK_ALLOWED_NETWORKS: readonly string[];
  readonly WEBHOOK_PORTS: readonly number[];
  readonly BASE_URL?: string | undefined;
}): AddressRules {
  return {
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    ports: config.WEBHOOK_PORTS,
    ownHosts: config.BASE_URL === undefined ? [] : [new URL(config.BASE_URL).hostname],
  };
}
