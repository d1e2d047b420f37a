/* What customers of an organization see it as. */

export { removeBrand, setBrand } from './change.ts';
export { brandOf, brandsOf, letterheadOf } from './shown.ts';
