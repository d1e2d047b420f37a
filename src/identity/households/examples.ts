import { addressExample } from '../addresses/examples.ts';
import { customerExample } from '../customers/examples.ts';
import type { Household, HouseholdListItem } from './schema.ts';

export const householdExample = {
  object: 'household',
  id: 'dom_lindenallee0hamburg00007',
  display_name: null,
  created_at: '2026-10-05T08:40:12.345Z',
  updated_at: '2026-10-05T08:40:12.345Z',
  customer: customerExample,
  address: addressExample,
} as const satisfies Household;

export const listedHouseholdExample: HouseholdListItem = {
  ...householdExample,
  customer: customerExample.id,
  address: addressExample.id,
};
