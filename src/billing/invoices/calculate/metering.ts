import { Exact } from '../../../platform/money.ts';
import type { GridFeeModules } from '../../../tariffs/quotes/consumption.ts';
import type { Figure, GridFigures } from '../../../tariffs/reference-data/figures.ts';
import { highestMeteringFee } from '../../../tariffs/reference-data/metering-fee.ts';
import type { ReferenceSet } from '../../../tariffs/reference-data/reference-set.ts';
import type { BilledContract } from './contract.ts';
import { missingRow, validFigure } from './strict.ts';

/** §30(4) MsbG: the class of usage follows from the mean of so many years; before there are so many, from the forecast. */
const YEARS = 3;

interface MeteringDay {
  readonly day: string;
  readonly reference: ReferenceSet;
  readonly grid: Pick<GridFigures, 'operator'>;
  readonly meter: 'smart' | 'analog';
  readonly modules: GridFeeModules;
}

/** Yearly cost of metering, with VAT: the metering operator's own fee, else the cap of the law. */
export function meteringFeeOf(contract: BilledContract, metering: MeteringDay): Figure {
  const { day, reference, grid, meter, modules } = metering;
  const operator = meteringOperatorOn(contract, grid, day);
  const highest = highestMeteringFee(reference.meteringFeesOf(operator), {
    ...{ meter, kwh: yearlyKwhOf(contract), pvKw: pvKwOn(contract, day) },
    has14aModule: modules.module1 || modules.module2 || modules.module3,
  });
  if (highest === undefined) throw missingRow({ table: 'metering_fees', key: meter }, day);
  return validFigure(highest.fee, day);
}

/** Who operates the meter on a day: the grid operator (section 3 no. 4 MsbG), where nobody else was named. */
export function meteringOperatorOn(
  { meteringOperators }: Pick<BilledContract, 'meteringOperators'>,
  grid: Pick<GridFigures, 'operator'>,
  day: string,
): string {
  return meteringOperators.findLast(({ from }) => from <= day)?.operator ?? grid.operator;
}

function yearlyKwhOf({ yearlyKwh, estimatedUsage }: BilledContract): string {
  const years = yearlyKwh.slice(-YEARS);
  if (years.length < YEARS) return estimatedUsage;
  return Exact.sum(...years)
    .dividedBy(YEARS)
    .toFixed();
}

/** kW of the plants that feed in on a day; of several at one place the largest counts. Null: there is none. */
export function pvKwOn({ plants }: Pick<BilledContract, 'plants'>, day: string): string | null {
  const begun = plants.filter(({ commissionedOn }) => commissionedOn === null || commissionedOn <= day);
  return begun.length === 0 ? null : Exact.max(...begun.map(({ kw }) => kw)).toFixed();
}
