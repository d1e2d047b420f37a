import type { ListedSupplier, MarketPartner } from './schema.ts';

export const supplierExample = {
  object: 'supplier',
  id: 'mp_stadtwerke0musterstadt01',
  name: 'Stadtwerke Musterstadt',
  country: 'DE',
  created_at: '2026-01-02T08:00:00.000Z',
  code: '9900000000015',
  code_type: 'BDEW',
} as const satisfies ListedSupplier;

export const marketPartnerExample: MarketPartner = {
  ...supplierExample,
  object: 'market_partner',
  type: 'supplier',
};
