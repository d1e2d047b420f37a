import type { AddressRules } from './address.ts';

/** Where the configuration lets webhooks go. Only a command line may have no base address. */
export function addressRules(config: {
  readonly WEBHOOK_ALLOWED_NETWORKS: readonly string[];
  readonly WEBHOOK_PORTS: readonly number[];
  readonly BASE_URL?: string | undefined;
  readonly AUTH_URL?: string | undefined;
  readonly PORTAL_URL?: string | undefined;
}): AddressRules {
  const own = [config.BASE_URL, config.AUTH_URL, config.PORTAL_URL];
  return {
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    ports: config.WEBHOOK_PORTS,
    ownHosts: own.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname])),
  };
}
