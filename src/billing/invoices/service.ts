/* For whoever enters or reads what becomes of documents. */
export { holdInvoice } from './issue/move.ts';
export { checkMove, mayMove } from './issue/moves.ts';
