import { isIPv6 } from 'node:net';

/** One household or one company: an IPv4 address, or the /64 within which anybody may change theirs at will. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const plain = new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : 8 - front.length - back.length;
  const groups = [...front, ...Array.from({ length: missing }, () => '0'), ...back];
  const mapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff';
  return mapped ? groups.join(':') : `${groups.slice(0, 4).join(':')}::/64`;
}
