import { Resolver } from 'node:dns/promises';

/** The addresses of a name; rejects where it has none. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

const QUERY_MILLISECONDS = 1_500;
const TRIES = 2;

/**
 * Asks the name servers of the machine directly, or those given. The system's own function would hold one of four threads
 * of the process until a customer's name server answers: four silent ones would stop the names of everybody. The file of
 * hosts is not read, and no search domain is tried.
 */
export function nameLookup(servers?: readonly string[]): Lookup {
  return async (hostname) => {
    if (hostname === 'localhost') return ['127.0.0.1', '::1'];
    const resolver = new Resolver({ timeout: QUERY_MILLISECONDS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw new Error(`${hostname} has no address`);
    return addresses;
  };
}

export const lookup = nameLookup();
