import cluster from 'node:cluster';
import { availableParallelism, totalmem } from 'node:os';

/** Connections to the database that a process needs: one that writes a group does not keep readers waiting. */
const CONNECTIONS_OF_PROCESS_MIN = 4;
/** More than the database of one machine keeps up with. */
const PROCESSES_BY_CORES_MAX = 8;
/** So many groups each process may write at the same time: a large one does not keep small ones waiting. */
const GROUPS_OF_PROCESS_MIN = 2;

interface Machine {
  cores: number;
  memoryMebibytes: number;
}

interface ProcessNeeds {
  readonly DATABASE_CONNECTIONS_MAX: number;
  readonly OVERLOAD_RESIDENT_MEBIBYTES: number;
}

interface SharedOut {
  readonly processes: number;
  readonly DATABASE_CONNECTIONS_MAX: number;
  readonly INGEST_GROUPS_MAX: number;
}

/** A container may have less than its machine. */
export function thisMachine(): Machine {
  const memory = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  return { cores: availableParallelism(), memoryMebibytes: memory / 1024 ** 2 };
}

/**
 * One core is left for the database and the worker. So many processes only as have memory for their limit and connections
 * enough: a container with many cores and little memory would else be killed.
 */
export function processesByDefault(needs: ProcessNeeds, { cores, memoryMebibytes }: Machine): number {
  const most = Math.min(
    PROCESSES_BY_CORES_MAX,
    cores - 1,
    memoryMebibytes / needs.OVERLOAD_RESIDENT_MEBIBYTES,
    needs.DATABASE_CONNECTIONS_MAX / CONNECTIONS_OF_PROCESS_MIN,
  );
  return Math.max(1, Math.floor(most));
}

/** A number that was asked for is not made smaller in silence. */
export function processProblems(
  needs: Partial<ProcessNeeds> & { readonly API_PROCESSES?: number | undefined },
): string[] {
  const { API_PROCESSES: processes = 1, DATABASE_CONNECTIONS_MAX = Number.POSITIVE_INFINITY } = needs;
  const least = processes * CONNECTIONS_OF_PROCESS_MIN;
  if (processes === 1 || DATABASE_CONNECTIONS_MAX >= least) return [];
  return [
    `DATABASE_CONNECTIONS_MAX: ${processes} API processes need at least ${least} connections together, it is ${DATABASE_CONNECTIONS_MAX}`,
  ];
}

/** The share of one of several processes in the limits that are meant for all of them. */
export function shareOfProcess<Config extends SharedOut>(config: Config): Config {
  const { processes, DATABASE_CONNECTIONS_MAX, INGEST_GROUPS_MAX } = config;
  if (processes === 1) return config;
  return {
    ...config,
    DATABASE_CONNECTIONS_MAX: Math.floor(DATABASE_CONNECTIONS_MAX / processes),
    INGEST_GROUPS_MAX: Math.max(GROUPS_OF_PROCESS_MIN, Math.ceil(INGEST_GROUPS_MAX / processes)),
  };
}

/**
 * Small groups of batches that a process writes side by side. The database works as long on a batch as the process itself: on two
 * cores a second group takes time from both, and the groups are half as full. With three, two connections keep up with one process.
 * One of several processes has the others beside it, which use the cores.
 */
export function smallGroupsByCores(
  cores: number = availableParallelism(),
  isOneOfSeveral: boolean = cluster.isWorker,
): number {
  return cores > 2 && !isOneOfSeveral ? 2 : 1;
}
