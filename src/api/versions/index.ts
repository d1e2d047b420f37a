import type { VersionChange } from '../../platform/interface/version-change.ts';
import { pagination } from './2025-12-16-pagination.ts';
import { gridFeeReductions } from './2026-01-29-grid-fee-reductions.ts';
import { meterOrders } from './2026-01-29-meter-orders.ts';
import { customerNames, customerVatId } from './2026-05-27-customers.ts';
import { eventTopics } from './2026-05-27-events.ts';
import { feedIn } from './2026-05-27-feed-in.ts';
import { gridFeeReductionCustomer } from './2026-05-27-grid-fee-reductions.ts';
import { invoiceFields, invoiceList, invoiceTypes } from './2026-05-27-invoices.ts';
import { marketPartners } from './2026-05-27-market-partners.ts';
import { meterOrderMilestones, meterOrderStatusFilter } from './2026-05-27-meter-orders.ts';
import { meterReadings } from './2026-05-27-meter-readings.ts';
import { planType } from './2026-05-27-plan-type.ts';
import { quoteParameters } from './2026-05-27-quote.ts';
import { signUpAddress, signUpVatId } from './2026-05-27-sign-up.ts';
import { structuredErrors } from './2026-05-27-structured-errors.ts';
import { subscriptionChanges, subscriptionFields, subscriptionSupplier } from './2026-05-27-subscriptions.ts';
import { usage } from './2026-05-27-usage.ts';
import { assetSnapshots } from './2026-09-08-asset-snapshots.ts';
import { assets } from './2026-09-08-assets.ts';
import { households } from './2026-09-08-households.ts';
import { exitSummaries, exitSummaryFilter } from './2026-09-08-invoices.ts';
import { loadForecasts } from './2026-09-08-load-forecasts.ts';
import { meterOrderFilters } from './2026-09-08-meter-orders.ts';
import { priceTables } from './2026-09-08-price-tables.ts';
import { quoteByPost } from './2026-09-08-quote.ts';
import { savings } from './2026-09-08-savings.ts';
import { spotPrices } from './2026-09-08-spot-prices.ts';

/** Every change of the interface, oldest first. The change log and the older API descriptions come from this list. */
export const versionChanges: readonly VersionChange[] = [
  pagination,
  gridFeeReductions,
  meterOrders,
  structuredErrors,
  feedIn,
  planType,
  customerVatId,
  customerNames,
  subscriptionFields,
  subscriptionSupplier,
  subscriptionChanges,
  signUpAddress,
  signUpVatId,
  marketPartners,
  meterReadings,
  usage,
  invoiceList,
  invoiceFields,
  invoiceTypes,
  gridFeeReductionCustomer,
  eventTopics,
  meterOrderMilestones,
  meterOrderStatusFilter,
  quoteParameters,
  households,
  assets,
  assetSnapshots,
  meterOrderFilters,
  spotPrices,
  priceTables,
  quoteByPost,
  loadForecasts,
  savings,
  exitSummaries,
  exitSummaryFilter,
];
