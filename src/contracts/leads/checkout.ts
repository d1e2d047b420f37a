/**
 * The address at which customers sign up: a checkout of the organization, which is no part of the service. Only a local
 * start has one without a certificate.
 */
export function checkoutAddress(config: { APP_ENV: string; CHECKOUT_HOST: string }, plan?: string): string {
  const scheme = config.APP_ENV === 'local' ? 'http' : 'https';
  const host = plan === undefined ? config.CHECKOUT_HOST : `${plan}.${config.CHECKOUT_HOST}`;
  return `${scheme}://${host}/`;
}
