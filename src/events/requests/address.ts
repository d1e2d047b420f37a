import ipaddr from 'ipaddr.js';

/** Where requests to addresses that customers chose may go. */
export interface AddressRules {
  /** CIDRs that may be reached although they are private, also by http and at any port: development and tests. */
  readonly allowedNetworks: readonly string[];
  /** Ports of all other receivers. */
  readonly ports: readonly number[];
  /** Names of this service. */
  readonly ownHosts: readonly string[];
}

/** Addresses at which receivers may be: any public one, or the allowed networks only. */
export type Scope = 'public' | 'allowed_networks';

export type AddressFilter = (address: string, scope: Scope) => boolean;

/** The part of IPv6 that is given to networks of the internet; all else has a meaning of its own, or none yet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Services of clouds at addresses that look public and that only machines of the cloud reach. Metadata services elsewhere
 * are link-local, private or reserved, and refused as such.
 */
const CLOUD_SERVICES = [
  /* Azure: DHCP, names, health and the agent of virtual machines. */
  '168.63.129.16/32',
  /* Google: its own interfaces, for machines without a public address (restricted and private.googleapis.com). */
  '199.36.153.4/30',
  '199.36.153.8/30',
  '2600:2d00:2:1000::/64',
  '2600:2d00:2:2000::/64',
  /* Equinix Metal: metadata. */
  '192.80.8.124/32',
  /* Tencent: name servers. */
  '183.60.82.98/32',
  '183.60.83.19/32',
].map((network) => ipaddr.parseCIDR(network));

/**
 * Anything but public unicast is refused: private and local networks, services of clouds for their own machines, and IPv6 that
 * carries an IPv4 address inside (6to4, Teredo, NAT64, translated). A mapped IPv4 address counts as what it maps.
 */
export function addressFilter(allowedNetworks: readonly string[]): AddressFilter {
  const networks = allowedNetworks.map((network) => ipaddr.parseCIDR(network));
  return (text, scope) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    if (isIn(networks, address)) return true;
    return (
      scope === 'public' &&
      !isIn(CLOUD_SERVICES, address) &&
      address.range() === 'unicast' &&
      (address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST))
    );
  };
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function isIn(networks: readonly [Address, number][], address: Address): boolean {
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}

interface Target {
  readonly protocol: string;
  readonly hostname: string;
  /** Empty: the scheme's own. */
  readonly port: string;
}

/** Why a receiver may be reached in the allowed networks only, as the end of a sentence; null: it is like any other. */
export function specialReason(target: Target, rules: AddressRules): string | null {
  if (target.protocol !== 'https:') return 'must begin with https://';
  if (!rules.ports.includes(Number(target.port || '443'))) {
    return `must use the port ${rules.ports.join(' or ')}`;
  }
  const host = target.hostname.toLowerCase().replace(/\.$/, '');
  if (!host.includes('.')) return 'needs a host with a dot in its name';
  return rules.ownHosts.some((own) => own.toLowerCase() === host) ? 'is this service itself' : null;
}

export function scopeOf(target: Target, rules: AddressRules): Scope {
  return specialReason(target, rules) === null ? 'public' : 'allowed_networks';
}
