import type { DebitFile, TransferFile } from './sepa/instructions.ts';
import type { Statement } from './statements/entry.ts';

export type ProviderName = 'bank_files' | 'simulated_bank';

/** What the bank is handed. */
export interface PaymentInstructions {
  readonly format: 'pain.008.001.08' | 'pain.001.001.09';
  readonly content: Buffer;
}

/** Moves money for us: the requests that it gets, and its reports about them. */
export interface PaymentProvider {
  readonly name: ProviderName;
  /** Asks for money of customers. */
  collect(file: DebitFile): PaymentInstructions;
  /** Asks to pay customers. */
  refund(file: TransferFile): PaymentInstructions;
  /** What became of it. `source` is what the provider reads: a statement of the bank. */
  results(
    source: AsyncIterable<Uint8Array>,
    account: { readonly ownIbans: readonly string[] },
  ): Promise<Statement>;
}
