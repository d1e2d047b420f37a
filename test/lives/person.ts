import type { Json } from '../contracts/subscriptions/sign-ups.ts';
import type { Life } from './life.ts';

const BANK = '370400440';
/** Who feeds in as a company needs one. */
const VAT_ID = 'DE123456788';

/** Who has contracts. His word stands in everything that he leaves, and in nothing that others do. */
export class Person {
  readonly word: string;
  readonly iban: string;
  /** Of the customer, from the first sign-up on. */
  id = '';
  isErased = false;
  #places = 0;

  constructor(number: number) {
    const digits = String(number).padStart(4, '0');
    this.word = `Zaunkoenig${digits}z`;
    this.iban = germanIban(`${BANK}77777${digits}`);
  }

  get email(): string {
    return `mail.${this.word}@example.org`;
  }

  /** What a sign-up says of him and of another place, or of the last one once more. */
  signUp({ customer, meter }: Pick<Life, 'customer' | 'meter'>, { isOfSamePlace = false } = {}): Json {
    if (!isOfSamePlace) this.#places += 1;
    const { word, iban, email } = this;
    const names = { first_name: `Vor${word}`, last_name: `Nach${word}`, email };
    const company = { type: 'company', company_name: `${word} GmbH`, vat_id: VAT_ID, ...names };
    const person = { type: 'person', ...names };
    return {
      customer: this.id !== '' ? this.id : customer === 'company' ? company : person,
      address: { street: `${word}gasse`, house_number: `${this.#places}`, zip: '20354', city: 'Hamburg' },
      meter: { number: `${word}M${this.#places}`, type: meter, estimated_usage: 2_500 },
      payment_method: { type: 'sepa_debit', sepa_debit: { iban, account_holder: `${word} Konto` } },
    };
  }
}

/** With the two digits that check the others (ISO 13616). */
function germanIban(account: string): string {
  const rest = BigInt(`${account}131400`) % 97n;
  return `DE${String(98n - rest).padStart(2, '0')}${account}`;
}
