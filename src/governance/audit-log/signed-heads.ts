import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { AuditSeal } from './queries.ts';

/*
 * A head of the audit log with an Ed25519 signature (RFC 8032). With such a head and the public key anybody can show later
 * that this service said so. The service cannot deny it.
 */

/** A head as it is handed out: day in UTC, hash hexadecimal. */
export interface SignedHead extends AuditSeal {
  /**
   * The signature, hexadecimal: the worker's log hands it out, and masks what looks like a secret, as base64url may. What is
   * called a signature is left out of logs: elsewhere it opens doors.
   */
  signed: string;
}

/** What stands before the 32 bytes of a key in DER (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;

export function signHead(seed: string, head: AuditSeal): SignedHead {
  return { ...head, signed: sign(null, signedBytes(head), privateKey(seed)).toString('hex') };
}

/** Whether the owner of this public key signed exactly this head. */
export function isSignedBy(publicKeyText: string, head: SignedHead): boolean {
  const bytes = Buffer.from(publicKeyText, 'base64url');
  if (bytes.length !== KEY_BYTES)
    throw new Error(`${publicKeyText} is no public key: it has 43 characters of base64url`);
  const key = createPublicKey({
    key: Buffer.concat([PUBLIC_PREFIX, bytes]),
    ...({ format: 'der', type: 'spki' } as const),
  });
  return verify(null, signedBytes(head), key, Buffer.from(head.signed, 'hex'));
}

/** In base64url, as it is given to auditors. */
export function publicKeyOf(seed: string): string {
  return createPublicKey(privateKey(seed))
    .export({ format: 'der', type: 'spki' })
    .subarray(PUBLIC_PREFIX.length)
    .toString('base64url');
}

function privateKey(seed: string): KeyObject {
  return createPrivateKey({
    key: Buffer.concat([PRIVATE_PREFIX, Buffer.from(seed, 'base64url')]),
    ...({ format: 'der', type: 'pkcs8' } as const),
  });
}

/** Begins with its purpose: a signature for anything else is none of a head. */
function signedBytes({ day, rows, hash }: AuditSeal): Buffer {
  return Buffer.from(`voltstream audit head\n${day}\n${rows}\n${hash}\n`);
}
