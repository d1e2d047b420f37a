import type { JobResult, JobRun } from '../../platform/jobs/jobs.ts';
import { deliveryDayOf } from '../jobs.ts';
import type { PriceParts } from '../parts.ts';
import { captureForecast } from './capture-forecast.ts';
import { freezeForecast } from './freeze.ts';
import { type ModelParts, runPriceModel as runModel } from './run-model.ts';

/* What the worker runs. Days are counted from the instant at which a run fell due. */

type DueRun = Pick<JobRun, 'dueAt' | 'log'>;

export async function pullPriceForecast(
  deps: PriceParts,
  run: Pick<JobRun, 'signal' | 'closing' | 'log'>,
): Promise<JobResult> {
  return captureForecast({ ...deps, log: run.log }, { signal: AbortSignal.any([run.signal, run.closing]) });
}

export async function runPriceModel(deps: ModelParts, run: DueRun): Promise<JobResult> {
  return runModel({ ...deps, log: run.log }, { today: deliveryDayOf(run.dueAt, 0) });
}

export async function freezePriceForecast(deps: ModelParts, run: DueRun): Promise<JobResult> {
  return freezeForecast({ ...deps, log: run.log }, { deliveryOn: deliveryDayOf(run.dueAt, 1) });
}
