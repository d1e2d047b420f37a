import { runDunningJob } from '../src/billing/dunning/jobs.ts';
import { runDunning } from '../src/billing/dunning/run.ts';
import { askCorrections } from '../src/billing/invoices/corrections/ask.ts';
import { correctBills } from '../src/billing/invoices/corrections/correct.ts';
import { renderInvoices } from '../src/billing/invoices/files/render.ts';
import {
  askCorrectionsJob,
  billPortionJob,
  correctBillsJob,
  renderInvoicesJob,
  runBillingJob,
} from '../src/billing/invoices/jobs.ts';
import { billPortion } from '../src/billing/invoices/runs/bill.ts';
import { runBilling } from '../src/billing/invoices/runs/run.ts';
import { advanceSubscriptions } from '../src/contracts/subscriptions/advance.ts';
import { advanceSubscriptionsJob } from '../src/contracts/subscriptions/jobs.ts';
import { settleUsageJob } from '../src/contracts/usage/jobs.ts';
import { settleUsage } from '../src/contracts/usage/settle.ts';
import { serveFailing, serveHealthy } from '../src/events/deliveries/serve.ts';
import { sweepWebhooks } from '../src/events/deliveries/sweep.ts';
import { tellWebhookContact } from '../src/events/deliveries/tell-contact.ts';
import { fanOutEvent } from '../src/events/fan-out.ts';
import {
  deliverWebhooksJob,
  fanOutEventJob,
  retryWebhooksJob,
  sweepWebhooksJob,
  tellWebhookContactJob,
} from '../src/events/jobs.ts';
import { sealAuditLogJob, verifyAuditLogJob } from '../src/governance/audit-log/jobs.ts';
import { sealAuditLog, verifyAuditLog } from '../src/governance/audit-log/service.ts';
import { writeDataSetsJob } from '../src/governance/exports/jobs.ts';
import { writeDataSets } from '../src/governance/exports/write-nightly.ts';
import { eraseLateSnapshots } from '../src/governance/personal-data/erase.ts';
import { eraseLateSnapshotsJob } from '../src/governance/personal-data/jobs.ts';
import { removeOldRecordsJob, sweepExpiredRowsJob } from '../src/governance/retention/jobs.ts';
import { removeOldRecords, sweepExpiredRows } from '../src/governance/retention/service.ts';
import { mailReceiptJob } from '../src/pages/portal/jobs.ts';
import { mailReceipt } from '../src/pages/portal/mail-receipt.ts';
import { type JobWorker, worker } from '../src/platform/jobs/jobs.ts';
import {
  freezePriceForecastJob,
  pullPriceForecastJob,
  runPriceModelJob,
} from '../src/spot-prices/forecast/jobs.ts';
import {
  freezePriceForecast,
  pullPriceForecast,
  runPriceModel,
} from '../src/spot-prices/forecast/service.ts';
import {
  crossCheckSpotPricesJob,
  fillPriceGapsJob,
  keepDayAheadMeanJob,
  pullSpotPricesJob,
  recheckSpotPricesJob,
  sweepPricePayloadsJob,
} from '../src/spot-prices/jobs.ts';
import {
  crossCheckSpotPrices,
  fillPriceGaps,
  pullSpotPrices,
  recheckSpotPrices,
  sweepPricePayloads,
} from '../src/spot-prices/upkeep/service.ts';
import { keepDayAheadMean } from '../src/tariffs/day-ahead-means/keep.ts';
import { sumQuarterHoursJob } from '../src/telemetry/quarter-hours/jobs.ts';
import { sumQuarterHours } from '../src/telemetry/quarter-hours/sum.ts';
import { prepareSnapshotPartitionsJob } from '../src/telemetry/snapshots/jobs.ts';
import { prepareSnapshotPartitions } from '../src/telemetry/snapshots/prepare-partitions.ts';
import type { WorkerDeps } from './deps.ts';

/** Every job of the worker process: its definition and the function that does it. */
export const jobWorkers: readonly JobWorker<WorkerDeps>[] = [
  worker(sweepExpiredRowsJob, sweepExpiredRows), //
  worker(removeOldRecordsJob, removeOldRecords),
  worker(eraseLateSnapshotsJob, eraseLateSnapshots),
  worker(prepareSnapshotPartitionsJob, prepareSnapshotPartitions),
  worker(sealAuditLogJob, sealAuditLog),
  worker(verifyAuditLogJob, verifyAuditLog),
  worker(writeDataSetsJob, writeDataSets),
  worker(fanOutEventJob, fanOutEvent),
  worker(deliverWebhooksJob, serveHealthy),
  worker(retryWebhooksJob, serveFailing),
  worker(sweepWebhooksJob, sweepWebhooks),
  worker(tellWebhookContactJob, tellWebhookContact),
  worker(advanceSubscriptionsJob, advanceSubscriptions),
  worker(mailReceiptJob, mailReceipt),
  worker(settleUsageJob, settleUsage),
  worker(runBillingJob, runBilling),
  worker(billPortionJob, billPortion),
  worker(runDunningJob, runDunning),
  worker(askCorrectionsJob, askCorrections),
  worker(correctBillsJob, correctBills),
  worker(renderInvoicesJob, renderInvoices),
  worker(sumQuarterHoursJob, sumQuarterHours),
  worker(pullSpotPricesJob, pullSpotPrices),
  worker(recheckSpotPricesJob, recheckSpotPrices),
  worker(crossCheckSpotPricesJob, crossCheckSpotPrices),
  worker(fillPriceGapsJob, fillPriceGaps),
  worker(keepDayAheadMeanJob, keepDayAheadMean),
  worker(sweepPricePayloadsJob, sweepPricePayloads),
  worker(pullPriceForecastJob, pullPriceForecast),
  worker(runPriceModelJob, runPriceModel),
  worker(freezePriceForecastJob, freezePriceForecast),
];
