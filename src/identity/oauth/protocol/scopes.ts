import type { Scope } from '../../../platform/principal.ts';

/**
 * RFC 6749, 3.3: names with one blank between them, in any order; named twice is named once. The scopes among `allowed`
 * that were asked for, or undefined where one is unknown, not allowed or not written so. What was left out or sent empty
 * asks for all that is allowed.
 */
export function scopesOf(text: string | undefined, allowed: readonly Scope[]): readonly Scope[] | undefined {
  if (text === undefined || text === '') return allowed;
  const names = new Set(text.split(' '));
  const known = allowed.filter((scope) => names.has(scope));
  return known.length === names.size ? known : undefined;
}

/** What a client is told: the sentence names what it could have asked for. */
export function scopeRule(allowed: readonly Scope[]): string {
  return `Expected one or more of: ${allowed.join(', ')}; with one blank between them`;
}
