import type { Feed, ReadBody } from '../series.ts';
import { readAwattar } from './awattar.wire.ts';
import { readEnergyCharts } from './energy-charts.wire.ts';
import { readEnergyForecast } from './energyforecast.wire.ts';
import { readEntsoe } from './entsoe.wire.ts';
import { readSmard } from './smard.wire.ts';

/** What reads the bodies of each feed: pure, bytes and what was asked for in, values out. */
export const wireFiles: Readonly<Record<Feed, ReadBody>> = {
  entsoe: readEntsoe,
  smard: readSmard,
  'energy-charts': readEnergyCharts,
  synthetic: readEnergyCharts,
  awattar: readAwattar,
  energyforecast: readEnergyForecast,
};

const MEBIBYTE = 1024 * 1024;

/** Size of a body after inflating; what is larger is rejected. */
export const bodyBytesMax: Readonly<Record<Feed, number>> = {
  entsoe: 8 * MEBIBYTE,
  smard: 2 * MEBIBYTE,
  'energy-charts': 8 * MEBIBYTE,
  synthetic: 8 * MEBIBYTE,
  awattar: 2 * MEBIBYTE,
  energyforecast: 2 * MEBIBYTE,
};
