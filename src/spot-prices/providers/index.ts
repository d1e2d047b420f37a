import type { RealizedSource } from '../series.ts';
import { energyCharts } from './energy-charts.ts';
import { entsoe } from './entsoe.ts';
import type { Provider } from './provider.ts';
import { smard } from './smard.ts';
import { synthetic } from './synthetic.ts';

export const providers: Readonly<Record<RealizedSource, Provider>> = {
  entsoe,
  smard,
  'energy-charts': energyCharts,
  synthetic,
};
