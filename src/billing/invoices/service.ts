/* For whoever enters or reads what becomes of documents. */
export { holdInvoice, holdInvoicesOf } from './issue/move.ts';
export { checkMove, mayMove } from './issue/moves.ts';
export { checkNotDeducted, setOffReturned } from './issue/void.ts';
/* For payments, of which a reversal may set off what came back. */
export { newPaymentId } from './schema.ts';
