/* For reminders and the console: what is still missing of bills. */
export { settleDebits } from './book.ts';
export { lockInvoices, lockPaymentsOf, paymentsOfInvoice, sumsOf, sumsOfInvoices } from './queries.ts';
