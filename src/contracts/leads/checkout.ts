/**
 * Where customers sign up: an address of the organization's checkout, which is no part of the service. Only a local start
 * has one without a certificate.
 */
export function checkoutAddress(config: { APP_ENV: string; CHECKOUT_HOST: string }, plan?: string): string {
  const scheme = config.APP_ENV === 'local' ? 'http' : 'https';
  const host = plan === undefined ? config.CHECKOUT_HOST : `${plan}.${config.CHECKOUT_HOST}`;
  return `${scheme}://${host}/`;
}
