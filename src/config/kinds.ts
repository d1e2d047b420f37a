import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/* Kinds of variables that several of the configuration have. */

export const seconds = (fallback: number, max = 3600) => z.coerce.number().min(0).max(max).default(fallback);
export const count = (fallback: number, max: number) =>
  z.coerce.number().int().min(1).max(max).default(fallback);
export const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );
export const networks = list.refine(
  (parts) => parts.every((part) => ipaddr.isValidCIDR(part)),
  'needs networks like 10.0.0.0/8 or fc00::/7, separated by commas',
);
export const ports = (fallback: number) =>
  list
    .transform((parts) => (parts.length === 0 ? [fallback] : parts.map(Number)))
    .refine(
      (numbers) => numbers.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535),
      'needs ports between 1 and 65535, separated by commas',
    );
export const key = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43,}$/, 'needs at least 32 random bytes in base64url (43 characters)');
/** The seed of an Ed25519 key (RFC 8032). */
export const auditSigningKey = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]{43}$/,
    'needs 32 random bytes in base64url (43 characters), as audit key makes them',
  );
/** The first one encrypts; those behind it still open what they encrypted. */
export const encryptionKeys = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]{43,}(?:,[A-Za-z0-9_-]{43,}){0,3}$/,
    'needs at least 32 random bytes in base64url (43 characters), and up to three earlier keys behind a comma each',
  );
export const databaseUrl = z.string().regex(/^postgres(ql)?:\/\//, 'needs a postgres:// address');
export const databaseUrls = list.refine(
  (addresses) => addresses.every((address) => databaseUrl.safeParse(address).success),
  'needs postgres:// addresses, separated by commas',
);
export const redisUrl = z.string().regex(/^rediss?:\/\//, 'needs a redis:// or rediss:// address');
export const port = z.coerce.number().int().min(0).max(65_535);
/** Of pages, which may be below a path. */
export const siteUrl = z
  .string()
  .regex(/^https?:\/\/[^/?#\s]+(\/[A-Za-z0-9_-]+)*$/, 'needs an http(s) address without a slash at the end');

export const httpUrl = z
  .string()
  .regex(/^https?:\/\/[^/]+$/, 'needs scheme, host and port, without a path or a slash at the end');
