import { asksSyntheticOnly } from '../../config/prices.ts';
import type { Deps } from '../../platform/deps.ts';

export const SYNTHETIC_TITLE = 'synthetic: invented numbers, no market prices';

/**
 * Where the licences of the prices stand, for the header `Link`. Invented numbers say so there, as its title: the members of
 * an answer are fixed.
 */
export function licenseLink(
  config: Deps['config'],
  title = asksSyntheticOnly(config) ? SYNTHETIC_TITLE : null,
): string {
  const mark = title === null ? '' : `; title="${title}"`;
  return `<${config.docsBase}/data-sources>; rel="license"${mark}`;
}
