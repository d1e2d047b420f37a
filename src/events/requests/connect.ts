import { isIP, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { type AddressRules, addressFilter, type Scope, scopeOf } from './address.ts';
import type { Lookup } from './lookup.ts';

/** A name that answers with hundreds of addresses is tried at a few of them. */
const ADDRESSES_MAX = 8;
const NEXT_ADDRESS_MILLISECONDS = 1_000;
/** Head and body of one answer with all that HTTP puts between; the body alone is bounded where it is read. */
const ANSWER_BYTES_MAX = 128 * 1024;

/** The address is one that no customer may reach. Nothing was sent. */
export class AddressRefused extends Error {}

export interface GuardedConnections {
  readonly connect: buildConnector.connector;
  /** Sockets that are open now. */
  readonly open: number;
}

export interface ConnectOptions {
  readonly lookup: Lookup;
  readonly connectMilliseconds: number;
  /** Instead of the roots that Node brings along. */
  readonly certificateAuthorities?: readonly string[] | undefined;
}

/**
 * Three steps, because each one alone is passed by something: an address in numbers is never looked up, so it is checked
 * before; of a name only the permitted addresses are dialled; and what was reached is checked once more.
 */
export function guardedConnections(rules: AddressRules, options: ConnectOptions): GuardedConnections {
  const permits = addressFilter(rules.allowedNetworks);
  const connectors = {
    public: connectorFor('public'),
    allowed_networks: connectorFor('allowed_networks'),
  };
  let open = 0;

  /* The lookup belongs in here: one that is given with a call is ignored, and the system's is used. */
  function connectorFor(scope: Scope): buildConnector.connector {
    return buildConnector({
      timeout: options.connectMilliseconds,
      lookup: (hostname, how, callback) => {
        options.lookup(hostname).then(
          (addresses) => {
            const good = addresses.filter((address) => permits(address, scope)).slice(0, ADDRESSES_MAX);
            const found = good.map((address) => ({ address, family: isIP(address) }));
            const [first] = found;
            if (first === undefined) callback(new AddressRefused('no permitted address'), '');
            else if (how.all === true) callback(null, found);
            else callback(null, first.address, first.family);
          },
          (error: Error) => callback(error, ''),
        );
      },
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MILLISECONDS,
      allowH2: false,
      /* Said here, because a variable of the environment can turn it off elsewhere. */
      rejectUnauthorized: true,
      /* A session that goes on skips the certificate, also one that has expired meanwhile. */
      maxCachedSessions: 0,
      ...(options.certificateAuthorities === undefined ? {} : { ca: [...options.certificateAuthorities] }),
    });
  }

  const connect: buildConnector.connector = (target, callback) => {
    const scope = scopeOf(target, rules);
    if (isIP(target.hostname) !== 0 && !permits(target.hostname, scope)) {
      callback(new AddressRefused('not a permitted address'), null);
      return;
    }
    connectors[scope](target, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null);
      } else if (!permits(socket.remoteAddress ?? '', scope)) {
        socket.destroy();
        callback(new AddressRefused('not a permitted peer'), null);
      } else {
        open += 1;
        socket.once('close', () => {
          open -= 1;
        });
        boundAnswers(socket);
        callback(null, socket);
      }
    });
  };

  return {
    connect,
    get open() {
      return open;
    },
  };
}

/**
 * A receiver can send without end what is no body: interim answers, extensions of chunks. All bytes since the last
 * request are counted, whatever they are.
 */
function boundAnswers(socket: Socket): void {
  let written = socket.bytesWritten;
  let before = socket.bytesRead;
  let read = before;
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      before = read;
    }
    read = socket.bytesRead;
    if (read - before > ANSWER_BYTES_MAX) socket.destroy(new Error('the answer is too long'));
  });
}
