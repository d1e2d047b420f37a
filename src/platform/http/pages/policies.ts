/** The sources that a page may load from, be framed by and send forms to: the directives of a Content-Security-Policy. */
export type PagePolicy = Readonly<Record<string, readonly string[]>>;

/** Every page has these headers: it loads what its policy names, is not framed, and passes its address on to nobody. */
export function pageHeaders(policy: PagePolicy): Record<string, string> {
  return {
    'content-security-policy': policyText(policy),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  };
}

export function policyText(policy: PagePolicy): string {
  return Object.entries(policy)
    .map(([directive, sources]) => [directive, ...sources].join(' '))
    .join('; ');
}

/** Pages that are open to everybody: nothing comes from, goes to or is framed by another origin. */
export const PUBLIC_POLICY = {
  'default-src': ["'self'"],
  'connect-src': ["'self'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
} as const satisfies PagePolicy;

/** Pages without any script. */
export const SCRIPTLESS_POLICY = {
  'default-src': ["'none'"],
  'style-src': ["'self'"],
  'frame-ancestors': ["'none'"],
} as const satisfies PagePolicy;

/**
 * Pages on which people sign in and look at what is theirs. Forms lead to the pages themselves and, by a redirect, to
 * `formTargets`: browsers hold redirects against this list too.
 */
export function screenPolicy(formTargets: readonly string[]): PagePolicy {
  return {
    'default-src': ["'none'"],
    'style-src': ["'self'"],
    'img-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'", ...formTargets],
    'frame-ancestors': ["'none'"],
  };
}
