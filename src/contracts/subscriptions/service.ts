/* For the pages on which customers end their contracts. */

export { earliestEndFor, terminateForCustomer, withdrawalFor } from './terminate.ts';
