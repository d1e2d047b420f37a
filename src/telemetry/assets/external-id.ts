import { conflict } from '../../platform/errors.ts';

/** An external id belongs to one asset for ever, as assets are never deleted. The erasure of its customer frees it. */
export function externalIdTaken(externalId: string, holder?: { id: string }) {
  const message = takenSentence(externalId, holder);
  return conflict([{ code: 'custom', field: 'external_id', message }]);
}

/** The holder's id may be told: who writes assets sees all of the organization. */
export function takenSentence(externalId: string, holder?: { id: string }): string {
  return `${JSON.stringify(externalId)} belongs to ${holder?.id ?? 'another asset'} and is never given to a second one`;
}
