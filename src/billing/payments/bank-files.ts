import type { PaymentProvider } from './provider.ts';
import { creditTransferFile, TRANSFER_FORMAT } from './sepa/credit-transfer.ts';
import { DEBIT_FORMAT, directDebitFile } from './sepa/direct-debit.ts';
import { readStatement } from './statements/read.ts';

/** Any bank: files that staff upload to it, and the statements that it gives. */
export const bankFiles: PaymentProvider = {
  name: 'bank_files',
  collect: (file) => ({ format: DEBIT_FORMAT, content: directDebitFile(file) }),
  refund: (file) => ({ format: TRANSFER_FORMAT, content: creditTransferFile(file) }),
  results: readStatement,
};
