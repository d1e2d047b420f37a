import { openSums } from '../ingest/sums.ts';
import { postmasterOf, timed } from '../measure/processor.ts';
import type { Report } from '../measure/report.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import type { Surroundings } from '../surroundings/service.ts';
import { askQuestions } from './questions.ts';
import { bytesPerRow, compress } from './store.ts';

/** What analysts ask of the store: summed, and compressed. */
export async function openAnalysis(
  surroundings: Surroundings,
  keys: readonly number[],
  cleanup: Cleanup,
  say: (line: string) => void,
) {
  const { database } = surroundings;
  const postmaster = await postmasterOf(database);
  const sums = openSums(surroundings, cleanup);
  return {
    async ask(report: Report, rounds: number) {
      say('summing by quarter hour');
      const before = process.cpuUsage();
      const summed = await timed({ service: null, postmaster }, () => sums.untilCurrent());
      const { user, system } = process.cpuUsage(before);
      say(`summed in ${summed.seconds.toFixed(1)} s`);
      await database.query('VACUUM ANALYZE asset_snapshots, asset_quarter_hours, asset_days');
      const questions = await askQuestions(database, keys, rounds);
      const bytesOfSum = await bytesPerRow(database, 'asset_quarter_hours');
      const isCompressed = await compress(database);
      const bytesOfCompressedRow = isCompressed ? await bytesPerRow(database) : null;
      if (bytesOfCompressedRow !== null) report.judge('P10', bytesOfCompressedRow);
      return {
        bytes_of_compressed_row: bytesOfCompressedRow,
        seconds_to_sum: summed.seconds,
        processor_seconds_to_sum: summed.processorSeconds,
        job_processor_seconds_to_sum: (user + system) / 1e6,
        bytes_of_sum: bytesOfSum,
        questions_ms: questions,
        questions_compressed_ms: isCompressed ? await askQuestions(database, keys, rounds) : null,
      };
    },
  };
}
