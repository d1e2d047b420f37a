import { asksSyntheticOnly } from '../../config-prices.ts';
import type { Deps } from '../../deps.ts';

/**
 * Where the licences of the prices stand, for the header `Link`. Invented numbers say so there: the members of an answer are
 * fixed.
 */
export function licenseLink(config: Deps['config']): string {
  const mark = asksSyntheticOnly(config) ? '; title="synthetic: invented numbers, no market prices"' : '';
  return `<${config.docsBase}/data-sources>; rel="license"${mark}`;
}
