/* For reminders: what is still missing of bills, held while they are looked at. */
export { settleDebits } from './book.ts';
/* For the page on which customers see what they owe. */
export { listOutstandingBills, type OutstandingBill } from './due-queries.ts';
export { lockInvoices, lockPaymentsOf, paymentsOfInvoice, sumsOf } from './queries.ts';
