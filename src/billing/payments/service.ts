/* For reminders: what is still missing of bills, held while they are looked at. */
export { settleDebits } from './book.ts';
export { lockInvoices, lockPaymentsOf, paymentsOfInvoice, sumsOf } from './queries.ts';
