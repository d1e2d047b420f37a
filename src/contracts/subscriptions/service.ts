/* For the pages on which customers end their contracts. */

export { earliestEndFor, terminateForCustomer } from './terminate.ts';
export { mayWithdraw } from './termination-dates.ts';
