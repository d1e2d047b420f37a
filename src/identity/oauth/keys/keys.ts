import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import { audit } from '../../../platform/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/db.ts';
import { seal, unseal } from '../../../platform/sealed.ts';
import { insertSigningKey, listSigningKeys, lockSigningKeys, type SigningKeyRow } from './queries.ts';

/** RSA with 2,048 bits verifies in 0.02 ms, and every call verifies; ES256 takes 0.06, Ed25519 0.11. */
export const SIGNATURE_ALGORITHM = 'RS256';
const MODULUS_BITS = 2048;

/** New keys are published 10 minutes before they sign: reading them once a minute is early enough. */
const KEYS_KEPT_MILLISECONDS = 60_000;
/** An unknown key id makes the keys be read again, but not at the pace of whoever sends made-up tokens. */
const RELOAD_PAUSE_MILLISECONDS = 5_000;

export interface KeyDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly config: { readonly ENCRYPTION_KEY: string };
}

/** Makes the first signing key where there is none; several processes may start at the same time. */
export async function ensureSigningKey(deps: KeyDeps, make = newSigningKey): Promise<void> {
  const { database, clock } = deps;
  const now = clock.now().toISOString();
  const usable = (rows: readonly SigningKeyRow[]) => rows.some((row) => !row.ended);
  if (usable(await database.asService((connection) => listSigningKeys(connection, now)))) return;
  const key = await make(deps.config.ENCRYPTION_KEY);
  await database.asService(async (connection) => {
    await lockSigningKeys(connection);
    if (usable(await listSigningKeys(connection, now))) return;
    await insertSigningKey(connection, { ...key, created_at: now, signs_from: now });
    const act = 'signing_key.create';
    await audit(connection, { organization_id: null, act, object_id: key.kid, result: 'done' });
  });
}

export async function newSigningKey(encryptionKey: string) {
  const pair = await generateKeyPair(SIGNATURE_ALGORITHM, { modulusLength: MODULUS_BITS, extractable: true });
  const { kty, n, e } = (await exportJWK(pair.publicKey)) as { kty: string; n: string; e: string };
  const kid = await calculateJwkThumbprint({ kty, n, e });
  const privateJwk = Buffer.from(JSON.stringify(await exportJWK(pair.privateKey)));
  return {
    kid,
    public_jwk: JSON.stringify({ kty, n, e, kid, use: 'sig', alg: SIGNATURE_ALGORITHM }),
    private_key_encrypted: seal(encryptionKey, 'signing-key', kid, privateJwk),
  };
}

export interface SigningKey {
  readonly kid: string;
  readonly key: CryptoKey;
}

export interface Keyring {
  /** The key that signs now. */
  signing(): Promise<SigningKey>;
  /** The public key of that id, as long as it is published. */
  verifying(kid: string): Promise<CryptoKey | undefined>;
  /** What /.well-known/jwks.json shows. */
  published(): Promise<JWK[]>;
}

interface Keys {
  readAtMilliseconds: number;
  rows: readonly SigningKeyRow[];
  verifying: ReadonlyMap<string, CryptoKey>;
}

/** The signing keys of the database, read once a minute at most. Only the key that signs is ever decrypted. */
export function createKeyring(
  { database, clock, config }: KeyDeps,
  onRead: (rows: readonly SigningKeyRow[]) => void = () => {},
): Keyring {
  let kept: Keys | undefined;
  let reading: Promise<Keys> | undefined;
  let opened: SigningKey | undefined;

  async function read(): Promise<Keys> {
    const readAtMilliseconds = clock.nowMilliseconds();
    const now = clock.now().toISOString();
    const rows = await database.asService((connection) => listSigningKeys(connection, now));
    const verifying = new Map<string, CryptoKey>();
    for (const row of rows) verifying.set(row.kid, await imported(row.public_jwk as JWK));
    onRead(rows);
    return { readAtMilliseconds, rows, verifying };
  }

  function reread(): Promise<Keys> {
    reading ??= read()
      .then((keys) => {
        kept = keys;
        return keys;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  }

  /* The absolute difference: a clock that was set back must not keep old keys alive. */
  const age = (keys: Keys) => Math.abs(clock.nowMilliseconds() - keys.readAtMilliseconds);

  async function current(): Promise<Keys> {
    return kept !== undefined && age(kept) < KEYS_KEPT_MILLISECONDS ? kept : await reread();
  }

  return {
    async signing() {
      let row = signingRow(await current());
      row ??= signingRow(await reread());
      if (row === undefined) throw new Error('There is no signing key');
      if (opened?.kid !== row.kid)
        opened = { kid: row.kid, key: await privateKey(config.ENCRYPTION_KEY, row) };
      return opened;
    },
    async verifying(kid) {
      const keys = await current();
      const known = keys.verifying.get(kid);
      if (known !== undefined || age(keys) < RELOAD_PAUSE_MILLISECONDS) return known;
      return (await reread()).verifying.get(kid);
    },
    async published() {
      return (await current()).rows.map((row) => row.public_jwk as JWK);
    },
  };
}

/** Why a process that starts now could sign no token; none where there is no key yet, which the process makes itself. */
export async function keyProblems({ database, clock, config }: KeyDeps): Promise<string[]> {
  const now = clock.now().toISOString();
  const row = signingRow({
    rows: await database.asService((connection) => listSigningKeys(connection, now)),
  });
  if (row === undefined) return [];
  try {
    await privateKey(config.ENCRYPTION_KEY, row);
    return [];
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return [`${found}: set the one of before, or both as NEW,OLD`];
  }
}

/** The key that began last. If none has begun by our clock, the one that begins next: a service without a key is worse. */
function signingRow(keys: Pick<Keys, 'rows'>): SigningKeyRow | undefined {
  return keys.rows.find((row) => row.signs) ?? keys.rows.findLast((row) => !row.ended);
}

async function imported(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, SIGNATURE_ALGORITHM);
  if (key instanceof Uint8Array) throw new Error('A signing key must be a key pair');
  return key;
}

async function privateKey(encryptionKey: string, row: SigningKeyRow): Promise<CryptoKey> {
  let text: string;
  try {
    text = unseal(encryptionKey, 'signing-key', row.kid, row.private_key_encrypted).toString();
  } catch (error) {
    throw new Error(`ENCRYPTION_KEY does not open the signing key ${row.kid}`, { cause: error });
  }
  return await imported(JSON.parse(text) as JWK);
}
