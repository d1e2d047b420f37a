import type { Facts } from '../../load/measure/machine.ts';

/** Of a machine that is nowhere: a report needs some. */
export const FACTS: Facts = {
  machine: { cpu: 'Test', cores: 2, memory_bytes: 2 ** 34, system: 'Linux' },
  node: '26.0.0',
  git: '0123456789ab',
  postgresql: '17.0',
  timescaledb: '2.19.3',
  timescaledb_license: 'apache',
  settings: { fsync: 'on' },
};
