/* For reminders and the console: what is still missing of bills. */
export { bookEntries, settleDebits } from './book.ts';
/* For the page on which customers see what they owe. */
export { listOutstandingBills, type OutstandingBill } from './due-queries.ts';
export {
  lockInvoices,
  lockPaymentsOf,
  paymentsOfInvoice,
  settledFor,
  sumsOf,
  sumsOfInvoices,
} from './queries.ts';
