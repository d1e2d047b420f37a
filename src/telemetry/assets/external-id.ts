import { conflict } from '../../platform/errors.ts';

export const EXTERNAL_ID_TAKEN = 'Another asset of the organization has or had this id';

/** An external id belongs to one asset for ever, as assets are never deleted. The erasure of its customer frees it. */
export function externalIdTaken() {
  return conflict([{ code: 'custom', field: 'external_id', message: EXTERNAL_ID_TAKEN }]);
}
