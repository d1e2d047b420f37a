import { Exact } from '../../../platform/money.ts';
import { berlinDayOf, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { instantInUtc } from '../../../platform/time/instant.ts';
import {
  amountOf,
  type BankEntry,
  ENTRIES_MAX,
  numbered,
  PROBLEMS_MAX,
  plainText,
  type Statement,
  type StatementProblem,
  TEXT_CHARACTERS_MAX,
  TOO_MANY_PROBLEMS,
} from './entry.ts';
import { at, BrokenStatement, ElementStream, type StatementElement, textAt } from './xml-elements.ts';

const NAMESPACES = /^urn:iso:std:iso:20022:tech:xsd:camt\.05[34]\.001\.(?:02|08)$/;
/** Begins the names of reports that no bank made. */
export const SIMULATED_MARK = 'SIMULATED';
const REPORTS = new Set(['Ntfctn', 'Stmt']);
const ALWAYS_HANDED = new Set(['Ntry', 'TxDtls', ...REPORTS]);
/** Whose statement it is, and its name: they come before its movements. */
const HANDED_OF_REPORT = new Set(['Acct', 'Id']);
/* A zone behind a day says nothing here. */
/** What banks write where they have no reference. */
const NO_REFERENCE = /^(?:NONREF|NOREF|NOTPROVIDED)$/i;
const DAY = /^(?<day>\d{4}-\d{2}-\d{2})(?:Z|[+-]\d{2}:\d{2})?$/;

type CamtEntry = Omit<BankEntry, 'path' | 'identity' | 'elsewhere' | 'hasReference'>;

export interface StatementAccount {
  /** That of the issuer, and those that it had. */
  readonly ownIbans: readonly string[];
  /** Reports that no bank made are read; else they are refused, whoever brings them. */
  readonly acceptsSimulated?: boolean;
}

type Money = { readonly amount: string; readonly sign: 1 | -1 };

/**
 * Reads what the bank says about one account: camt.054 (movements of a day) or camt.053 (the statement of a day). Nothing is
 * guessed: each value that is missing or wrong is told with its path, and then nothing of the file counts.
 */
export class CamtReader {
  readonly #account: StatementAccount;
  readonly #stream: ElementStream;
  readonly #entries: BankEntry[] = [];
  readonly problems: StatementProblem[] = [];
  /** Movements without a reference of the bank, by what they say, counted where they are the same. */
  readonly #same = new Map<string, number>();
  #details: StatementElement[] = [];
  #report = '';
  #pending = 0;
  #accounts = 0;
  #reports = 0;

  constructor(account: StatementAccount) {
    this.#account = account;
    this.#stream = new ElementStream({
      namespaces: NAMESPACES,
      isHanded: (name, parent = '') =>
        ALWAYS_HANDED.has(name) || (REPORTS.has(parent) && HANDED_OF_REPORT.has(name)),
      ended: (element) => this.#ended(element),
    });
  }

  write(text: string): void {
    this.#stream.write(text);
  }

  end(): Statement {
    this.#stream.close();
    if (this.#reports === 0) throw new BrokenStatement('Document', 'There is no Ntfctn and no Stmt in it');
    return { entries: this.#entries, pending: this.#pending, problems: this.problems };
  }

  #ended(element: StatementElement): void {
    const { name } = element;
    if (name === 'Ntry') this.#entry(element);
    else if (name === 'TxDtls') this.#detail(element);
    else if (name === 'Acct') this.#checkAccount(element);
    else if (name === 'Id') this.#nameReport(element);
    else this.#endReport(element);
  }

  #detail(element: StatementElement): void {
    this.#details.push(element);
    if (this.#entries.length + this.#details.length > ENTRIES_MAX) {
      throw new BrokenStatement(
        element.path,
        `More than ${ENTRIES_MAX} movements: ask the bank for shorter files`,
      );
    }
  }

  #nameReport({ path, text }: StatementElement): void {
    this.#report = text;
    if (text.startsWith(SIMULATED_MARK) && this.#account.acceptsSimulated !== true) {
      this.#refuse(path, text, 'A simulated bank made this report: no money moved');
    }
  }

  #checkAccount(element: StatementElement): void {
    this.#accounts += 1;
    const iban = textAt(element, 'Id/IBAN') ?? '';
    if (!this.#account.ownIbans.includes(iban)) {
      this.#refuse(`${element.path}/Id/IBAN`, iban, 'Not the account of the issuer (cli issuers show)');
    }
  }

  #endReport(element: StatementElement): void {
    this.#reports += 1;
    if (this.#report === '') this.#refuse(`${element.path}/Id`, '', 'Must not be missing');
    if (this.#accounts < this.#reports) this.#refuse(`${element.path}/Acct`, '', 'Must not be missing');
    this.#accounts = this.#reports;
    this.#report = '';
  }

  #refuse(path: string, value: string, rule: string): null {
    this.problems.push({ path, value, rule });
    if (this.problems.length >= PROBLEMS_MAX) throw new BrokenStatement(path, TOO_MANY_PROBLEMS);
    return null;
  }

  #entry(entry: StatementElement): void {
    const details = this.#details;
    this.#details = [];
    const status = textAt(entry, 'Sts/Cd', 'Sts');
    if (status === 'PDNG' || status === 'INFO') {
      this.#pending += 1;
      return;
    }
    if (status !== 'BOOK') this.#refuse(`${entry.path}/Sts`, status ?? '', 'Accepted: BOOK, PDNG, INFO');
    const whole = this.#money(entry, 'Amt', null);
    const bookedOn = this.#day(entry);
    if (whole === null || bookedOn === null || status !== 'BOOK') return;
    if (details.length === 0) {
      this.#add(entry, entry, { money: whole, bookedOn });
      return;
    }
    const each = details.map((detail) => this.#moneyOfDetail(detail, whole, details.length === 1));
    const read = each.filter((money) => money !== null);
    if (read.length < each.length) return;
    this.#checkSum(entry, details, whole, read);
    for (const [index, detail] of details.entries()) {
      const money = read[index];
      if (money !== undefined) this.#add(entry, detail, { money, bookedOn });
    }
  }

  /** A return carries fees of banks on top, so that its parts need not add up. */
  #checkSum(entry: StatementElement, details: StatementElement[], whole: Money, parts: Money[]): void {
    if (details.some((detail) => at(detail, 'RtrInf') !== undefined)) return;
    const sum = parts.reduce(
      (total, { amount, sign }) => total.plus(new Exact(amount).times(sign)),
      new Exact(0),
    );
    if (!sum.eq(new Exact(whole.amount).times(whole.sign))) {
      this.#refuse(
        `${entry.path}/Amt`,
        whole.amount,
        `Its ${parts.length} parts add up to ${sum.abs().toFixed(2)}`,
      );
    }
  }

  /** A single part may leave out what the movement says. */
  #moneyOfDetail(detail: StatementElement, whole: Money, isSingle: boolean): Money | null {
    for (const path of ['Amt', 'AmtDtls/TxAmt/Amt']) {
      if (at(detail, path) !== undefined) return this.#money(detail, path, whole.sign);
    }
    if (isSingle) return whole;
    return this.#refuse(`${detail.path}/Amt`, '', 'Must not be missing');
  }

  #money(element: StatementElement, path: string, sign: 1 | -1 | null): Money | null {
    const field = at(element, path);
    if (field === undefined) return this.#refuse(`${element.path}/${path}`, '', 'Must not be missing');
    const amount = amountOf(field.text);
    if (amount === null)
      return this.#refuse(field.path, field.text, 'Not an amount with at most two decimals (12.34)');
    if (field.currency !== 'EUR')
      return this.#refuse(`${field.path}/@Ccy`, field.currency ?? '', 'Accepted: EUR');
    const side = textAt(element, 'CdtDbtInd');
    if (side === undefined && sign !== null) return { amount, sign };
    if (side !== 'CRDT' && side !== 'DBIT') {
      return this.#refuse(`${element.path}/CdtDbtInd`, side ?? '', 'Accepted: CRDT, DBIT');
    }
    return { amount, sign: side === 'CRDT' ? 1 : -1 };
  }

  #day(entry: StatementElement): CalendarDay | null {
    const day = textAt(entry, 'BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt');
    if (day === undefined) return this.#refuse(`${entry.path}/BookgDt`, '', 'Must not be missing');
    const { day: date } = DAY.exec(day)?.groups ?? {};
    const instant = instantInUtc(date === undefined ? day : `${date}T12:00:00Z`);
    if (instant !== null) return berlinDayOf(instant);
    return this.#refuse(`${entry.path}/BookgDt`, day, 'Not a day of the calendar');
  }

  #add(
    entry: StatementElement,
    detail: StatementElement,
    { money, bookedOn }: { money: Money; bookedOn: CalendarDay },
  ): void {
    const amount = new Exact(money.amount).times(money.sign).toFixed(2);
    const came = money.sign === 1 ? 'Dbtr' : 'Cdtr';
    const isReturn = at(detail, 'RtrInf') !== undefined || textAt(entry, 'RvslInd') === 'true';
    const endToEndId = plainText(textAt(detail, 'Refs/EndToEndId'));
    const said: CamtEntry = {
      bookedOn,
      amount,
      endToEndId: endToEndId === 'NOTPROVIDED' ? null : endToEndId,
      blockId: plainText(textAt(detail, 'Refs/PmtInfId') ?? textAt(entry, 'NtryDtls/Btch/PmtInfId')),
      returnReason: isReturn
        ? (plainText(textAt(detail, 'RtrInf/Rsn/Cd', 'RtrInf/Rsn/Prtry'), 35) ?? 'NARR')
        : null,
      name: plainText(textAt(detail, `RltdPties/${came}/Pty/Nm`, `RltdPties/${came}/Nm`)),
      iban: plainText(textAt(detail, `RltdPties/${came}Acct/Id/IBAN`), 34),
      text: plainText(
        [...remittance(detail), textAt(detail, 'AddtlTxInf') ?? ''].join(' '),
        TEXT_CHARACTERS_MAX,
      ),
    };
    this.#entries.push({ ...said, path: detail.path, ...this.#identity(entry, detail, said) });
    if (this.#entries.length > ENTRIES_MAX) {
      throw new BrokenStatement(
        detail.path,
        `More than ${ENTRIES_MAX} movements: ask the bank for shorter files`,
      );
    }
  }

  /**
   * The reference by which the bank keeps the movement makes it the same in each report of it. `NtryRef` is none: it counts
   * within one report only. Without a reference the report's name does, with all that is said.
   */
  #identity(entry: StatementElement, detail: StatementElement, said: CamtEntry) {
    const reference = [
      textAt(detail, 'Refs/AcctSvcrRef'),
      textAt(detail, 'Refs/TxId'),
      textAt(entry, 'AcctSvcrRef'),
    ].find((text) => text !== undefined && !NO_REFERENCE.test(text));
    const { bookedOn, amount, endToEndId } = said;
    if (reference !== undefined) {
      return {
        hasReference: true,
        identity: numbered(this.#same, [reference, bookedOn, amount, endToEndId]),
        elsewhere: numbered(this.#same, [reference, bookedOn, amount]),
      };
    }
    const number = textAt(entry, 'NtryRef');
    const whole = number === undefined ? [this.#report, said] : [this.#report, number, said];
    return { hasReference: false, identity: numbered(this.#same, whole), elsewhere: null };
  }
}

function remittance(detail: StatementElement): string[] {
  const texts = at(detail, 'RmtInf')?.children ?? [];
  return texts.flatMap((part) =>
    part.name === 'Ustrd' ? [part.text] : [textAt(part, 'CdtrRefInf/Ref') ?? ''],
  );
}
