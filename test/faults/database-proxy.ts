import { connect, createServer, type Socket } from 'node:net';

export type ProxyFault =
  /** Everything passes. */
  | 'none'
  /** The next COMMIT after a write reaches the server, the line is cut when its answer comes. */
  | 'lose-answer-of-commit'
  /** The same, but its answer is kept back. */
  | 'hold-answer-of-commit'
  /** The line is cut instead of passing that COMMIT on. */
  | 'lose-commit'
  /** Nothing moves any more, and nobody says so. */
  | 'black-hole';

export interface DatabaseProxy {
  /** The address to connect to in place of the given one. */
  readonly url: string;
  fault: ProxyFault;
  /** When a fault strikes a COMMIT, all other lines are cut as well and new ones refused. */
  refusesAfterFault: boolean;
  /** How many COMMITs a fault struck. */
  readonly strikes: number;
  /** Resolves when the server has answered the COMMIT that a fault struck. */
  committed(): Promise<void>;
  /** Passes everything again; lines held in a black hole are cut. */
  heal(): void;
  close(): Promise<void>;
}

/** The message `Query("COMMIT")` as pg sends it. */
const COMMIT = Buffer.from('Q\0\0\0\x0bCOMMIT\0', 'latin1');
const COPY = 'COPY asset_snapshots';
const COMMIT_FAULTS: readonly ProxyFault[] = [
  'lose-answer-of-commit',
  'hold-answer-of-commit',
  'lose-commit',
];

/**
 * Stands between the service and its database and cuts the line at an exact place in the protocol. Only a line on which the
 * text of `after`, or one of its texts, was sent has COMMITs that a fault strikes. `rewritten` changes what the server says.
 */
export async function startDatabaseProxy(
  databaseUrl: string,
  {
    after = COPY,
    rewritten = (bytes) => bytes,
  }: { after?: string | readonly string[]; rewritten?: (bytes: Buffer) => Buffer } = {},
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  /** How to cut each open line. */
  const lines = new Set<() => void>();
  const committed = Promise.withResolvers<void>();
  let strikes = 0;
  let refuses = false;

  function joinLine(client: Socket): void {
    const upstream = connect({ host: target.hostname, port: Number(target.port) });
    const cut = () => {
      lines.delete(cut);
      client.destroy();
      upstream.destroy();
    };
    lines.add(cut);
    let struck: ProxyFault = 'none';
    let hasWritten = false;
    let passed: Buffer = Buffer.alloc(0);

    client.on('data', (bytes: Buffer) => {
      if (proxy.fault === 'black-hole') return;
      const ends = (text: Buffer) => Buffer.concat([passed.subarray(1 - text.length), bytes]).includes(text);
      const isCommit = ends(COMMIT);
      if ([after].flat().some((text) => ends(Buffer.from(text)))) hasWritten = true;
      /* As many as the end of a text that begins in them may need. */
      passed = Buffer.concat([passed, bytes]).subarray(-100);
      if (COMMIT_FAULTS.includes(proxy.fault) && hasWritten && isCommit) {
        strikes += 1;
        struck = proxy.fault;
        proxy.fault = 'none';
        refuses = proxy.refusesAfterFault;
        if (refuses) for (const other of lines) if (other !== cut) other();
        if (struck === 'lose-commit') return cut();
      }
      if (isCommit) hasWritten = false;
      upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => {
      if (struck === 'lose-answer-of-commit') cut();
      else if (struck === 'none' && proxy.fault !== 'black-hole') client.write(rewritten(bytes));
      if (struck !== 'none') committed.resolve();
    });
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on('error', cut);
      socket.on('close', () => {
        if (proxy.fault !== 'black-hole') cut();
      });
    }
  }

  const server = createServer((client) => {
    if (refuses) client.destroy();
    else joinLine(client);
  });
  await new Promise<void>((resolve) => {
    server.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(address.port);
  const cutAll = () => {
    for (const cut of lines) cut();
  };

  const proxy: DatabaseProxy = {
    url: url.href,
    fault: 'none',
    refusesAfterFault: false,
    get strikes() {
      return strikes;
    },
    committed: () => committed.promise,
    heal: () => {
      if (proxy.fault === 'black-hole') cutAll();
      proxy.fault = 'none';
      refuses = false;
    },
    close: async () => {
      cutAll();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
  return proxy;
}
