import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AddressRules, addressFilter } from '../../../src/events/requests/address.ts';
import { addressProblem } from '../../../src/events/requests/check.ts';
import type { Lookup } from '../../../src/events/requests/lookup.ts';
import { addressRules } from '../../../src/events/requests/rules.ts';
import { type Outcome, openWebhookRequests } from '../../../src/events/requests/send.ts';
import { HERE, testReceiver } from './receiver.ts';

/* The port of the listener is one of those that may be used: what refuses is the address. */
const listener = createServer((socket) => socket.destroy());
let port = 0;
let connections = 0;
listener.on('connection', () => {
  connections += 1;
});
beforeAll(async () => {
  listener.listen({ host: '::', ipv6Only: false, port: 0 });
  await once(listener, 'listening');
  const address = listener.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => {
  listener.close();
});

const rules = (changes: Partial<AddressRules> = {}): AddressRules => ({
  allowedNetworks: [],
  ports: [443, port],
  ownHosts: ['api.voltstream.example'],
  ...changes,
});

/** Names of the tests, and what they stand for. */
const names =
  (table: Readonly<Record<string, readonly string[]>>): Lookup =>
  async (hostname) => {
    const addresses = table[hostname];
    if (addresses === undefined) throw new Error(`${hostname} is not in the table`);
    return addresses;
  };

async function sent(url: string, given: AddressRules, lookup: Lookup): Promise<Outcome> {
  const requests = openWebhookRequests({ ...given, lookup, connectMilliseconds: 2_000 });
  const message = { id: 'evt_0123456789abcdefghijklmn', body: '{}', atSeconds: 1_795_000_000 };
  try {
    return await requests.send({ url, secrets: [Buffer.alloc(32, 7)] }, message);
  } finally {
    await requests.close();
  }
}

const REFUSED = { kind: 'failed', error: 'address' };
const LOOPBACK = [
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '127.1',
  '0177.0.0.1',
  '[::ffff:127.0.0.1]',
  '0.0.0.0',
  '[::1]',
  'localhost',
];
const OTHERS = [
  ['the metadata service of clouds', '169.254.169.254'],
  ['IPv6 unique local', '[fd00:ec2::254]'],
  ['IPv6 link-local', '[fe80::1]'],
  ['NAT64 of loopback', '[64:ff9b::7f00:1]'],
  ['local NAT64', '[64:ff9b:1::7f00:1]'],
  ['6to4 of loopback', '[2002:7f00:1::]'],
  ['Teredo', '[2001:0:7f00:1::]'],
  ['translated IPv4', '[::ffff:0:7f00:1]'],
  ['IPv4 in the old compatible form', '[::7f00:1]'],
  ['the services of Azure for its machines', '168.63.129.16'],
  ['restricted interfaces of Google', '199.36.153.6'],
  ['private interfaces of Google', '199.36.153.11'],
  ['metadata of Equinix Metal', '192.80.8.124'],
  ['name servers of Tencent', '183.60.83.19'],
  ['metadata of Alibaba', '100.100.100.200'],
  ['metadata of Oracle', '192.0.0.192'],
  ['credentials of Amazon containers', '169.254.170.2'],
  ['metadata of Scaleway by IPv6', '[fd00:42::42]'],
  ['an address for documents', '[3fff::1]'],
  ['a private network', '10.0.0.1'],
  ['full-width digits', '１２７.０.０.１'],
  ['ideographic full stops', '127。0。0。1'],
  ['loopback with a trailing dot', '127.0.0.1.'],
  ['a percent-encoded host', '%31%32%37.0.0.1'],
];

describe('W16 an address in the inner network is refused at creation and when dialling, without a connection', () => {
  test.each([...LOOPBACK.map((host) => ['loopback', host]), ...OTHERS])('%s: %s', async (_words, host) => {
    const lookup = names({ localhost: ['127.0.0.1', '::1'] });
    for (const url of [`https://${host}:${port}/hook`, `http://${host}:${port}/hook`]) {
      expect(await addressProblem(url, { ...rules(), lookup })).toMatch(/^.+[^.]$/);
      expect(await sent(url, rules(), lookup)).toMatchObject(REFUSED);
    }
    expect(connections).toBe(0);
  });

  test.each(LOOPBACK.map((host) => [host]))(
    'and %s is reached by the same requests where its network is allowed',
    async (host) => {
      await using receiver = await testReceiver(undefined, host === '[::1]' ? '::1' : '127.0.0.1');
      const url = new URL(`http://${host}:${receiver.port}/hook`).href;
      const allowed = { ...HERE, allowedNetworks: [...HERE.allowedNetworks, '0.0.0.0/32'] };
      const lookup = names({ localhost: ['127.0.0.1'] });
      expect(await sent(url, allowed, lookup)).toMatchObject({ kind: 'answered', status: 200 });
      expect(receiver.requests).toHaveLength(1);
      expect(await addressProblem(url, { ...allowed, lookup })).toBeNull();
    },
  );
});

/* The system takes 0.0.0.0 for this machine: what is dialled is permitted, what is reached is 127.0.0.1. */
test('W16 what was reached is checked too: behind a permitted address that leads to another one nothing is sent', async () => {
  await using receiver = await testReceiver();
  const given = rules({ allowedNetworks: ['0.0.0.0/32'] });
  expect(await sent(`http://0.0.0.0:${receiver.port}/hook`, given, names({}))).toMatchObject(REFUSED);
  await expect.poll(() => receiver.connections).toBe(1);
  await expect.poll(() => receiver.open()).toBe(0);
  expect(receiver.requests).toEqual([]);
});

describe('W16 a name', () => {
  test('that was public at creation and is private at dialling is refused then', async () => {
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    const lookup: Lookup = async () => answers.shift() ?? [];
    const url = `https://hooks.example.com:${port}/hook`;
    expect(await addressProblem(url, { ...rules(), lookup })).toBeNull();
    expect(await sent(url, rules(), lookup)).toMatchObject(REFUSED);
    expect(connections).toBe(0);
  });

  test.each([
    [['127.0.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1', 'fd00::1', '10.1.2.3']],
    [['168.63.129.16', '::ffff:168.63.129.16']],
    [['2600:2d00:2:1000::1', '2600:2d00:2:2000::1']],
  ])('that stands for %j is refused', async (addresses) => {
    const lookup = names({ 'hooks.example.com': addresses });
    const url = `https://hooks.example.com:${port}/hook`;
    expect(await addressProblem(url, { ...rules(), lookup })).toBe(
      'hooks.example.com is not reached by public addresses',
    );
    expect(await sent(url, rules(), lookup)).toMatchObject(REFUSED);
    expect(connections).toBe(0);
  });

  test('of which only some addresses are permitted is dialled at those', async () => {
    await using receiver = await testReceiver();
    const lookup = names({ 'hooks.example.com': ['::1', '127.0.0.2', '127.0.0.1'] });
    const given = rules({ allowedNetworks: ['127.0.0.1/32'] });
    const url = `http://hooks.example.com:${receiver.port}/hook`;
    expect(await sent(url, given, lookup)).toMatchObject({ kind: 'answered', status: 200 });
    const outside = await sent(url, rules({ allowedNetworks: ['127.0.0.3/32'] }), lookup);
    expect(outside).toMatchObject(REFUSED);
    expect(receiver.requests).toHaveLength(1);
  });

  test('that has no address is refused at creation, and a failed connection later', async () => {
    const url = `https://hooks.example.com:${port}/hook`;
    expect(await addressProblem(url, { ...rules(), lookup: names({}) })).toBe(
      'The name hooks.example.com has no address',
    );
    expect(await sent(url, rules(), names({}))).toMatchObject({ kind: 'failed', error: 'connection' });
  });
});

test('W16 a host under which the service signs in customers or shows them their contracts is its own', async () => {
  const given = addressRules({
    ...{ WEBHOOK_ALLOWED_NETWORKS: [], WEBHOOK_PORTS: [443], BASE_URL: 'https://api.voltstream.example' },
    ...{ AUTH_URL: 'https://login.voltstream.example/auth', PORTAL_URL: 'https://portal.voltstream.example' },
  });
  for (const host of ['api', 'login', 'portal', 'hooks']) {
    const name = `${host}.voltstream.example`;
    const lookup = names({ [name]: ['93.184.216.34'] });
    const problem = host === 'hooks' ? null : 'The address is this service itself';
    expect([host, await addressProblem(`https://${name}/hook`, { ...given, lookup })]).toEqual([
      host,
      problem,
    ]);
  }
});

describe('W16 how an address may be written', () => {
  const PUBLIC = names({
    'hooks.example.com': ['127.0.0.1', '93.184.216.34'],
    'hooks.example.com.': ['93.184.216.34'],
    'api.voltstream.example': ['93.184.216.34'],
    'xn--exmple-4nf.com': ['93.184.216.34'],
    intranet: ['93.184.216.34'],
  });
  test.each([
    ['https://hooks.example.com:22/hook', 'The address must use the port 443'],
    ['http://hooks.example.com/hook', 'The address must begin with https://'],
    ['file:///etc/passwd', 'The address must begin with https://'],
    ['gopher://hooks.example.com/_x', 'The address must begin with https://'],
    ['https://api.voltstream.example/hook', 'The address is this service itself'],
    ['https://API.voltstream.example/hook', 'The address is this service itself'],
    ['https://api.voltstream.example./hook', 'The host may not end with a dot'],
    ['https://hooks.example.com./hook', 'The host may not end with a dot'],
    ['https://user:word@hooks.example.com/hook', 'The address may not contain a user or a password'],
    ['https://hooks.example.com@10.0.0.1/hook', 'The address may not contain a user or a password'],
    ['https://hooks.example.com/hook#part', 'The address may not contain a fragment (#…)'],
    [
      'https://exаmple.com/hook',
      'The address may have printable ASCII characters only; names in other letters are written as xn--…',
    ],
    ['https://intranet/hook', 'The address needs a host with a dot in its name'],
    ['https://hooks.example.com\\@10.0.0.1/', 'The address may not contain a user or a password'],
    ['https:hooks.example.com/', 'The host must be written as hooks.example.com'],
    ['https://hooks%2eexample.com/', 'The host must be written as hooks.example.com'],
    [`https://hooks.example.com/${'a'.repeat(2_048)}`, 'The address may have 2048 characters at most'],
    ['hooks.example.com', 'The address is no URL'],
    ['', 'The address may have printable ASCII characters only; names in other letters are written as xn--…'],
  ])('%s', async (url, problem) => {
    const given = rules({ ports: [443] });
    expect(await addressProblem(url, { ...given, lookup: PUBLIC })).toBe(problem);
    expect(await sent(url, given, PUBLIC)).toMatchObject(REFUSED);
  });

  test.each([
    ['https://hooks.example.com/hook?a=b@c'],
    ['https://Hooks.Example.com:443/hook'],
    ['https://xn--exmple-4nf.com/hook'],
    ['https://93.184.216.34/hook'],
  ])('%s is good', async (url) => {
    expect(await addressProblem(url, { ...rules({ ports: [443] }), lookup: PUBLIC })).toBeNull();
  });
});

test('only public unicast is public, whatever an address carries inside', () => {
  const permits = addressFilter([]);
  const refused = [
    '0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1',
    '192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255',
    ':: ::1 ::7f00:1 ::ffff:10.0.0.1 fc00::1 fd12::1 fe80::1 fec0::1 ff02::1 64:ff9b::808:808 64:ff9b:1::1',
    '2002:808:808:: 2001::1 2001:db8::1 ::ffff:0:808:808 100::1 4000::1 nonsense',
  ].flatMap((line) => line.split(' '));
  expect(refused.filter((address) => permits(address, 'public'))).toEqual([]);
  const good = ['8.8.8.8', '93.184.216.34', '::ffff:8.8.8.8', '2606:4700::1111', '172.32.0.1', '100.128.0.1'];
  expect(good.filter((address) => !permits(address, 'public'))).toEqual([]);
  expect(good.filter((address) => permits(address, 'allowed_networks'))).toEqual([]);
});
