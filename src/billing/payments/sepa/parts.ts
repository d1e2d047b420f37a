import { documentOf, element, nested, textElement, type XmlPart } from '../../../platform/xml.ts';
import type { AccountOwner, FileHead } from './instructions.ts';
import { sumOf } from './instructions.ts';
import { bankText } from './text.ts';

/* What files of debits and of transfers have in common. */

export const NAME_CHARACTERS_MAX = 70;
export const PURPOSE_CHARACTERS_MAX = 140;

/** Where the bank is found by the IBAN. */
const BANK_NOT_NAMED = nested('FinInstnId/Othr/Id', 'NOTPROVIDED');

/** A file that no rule refuses, or an error that names all of them. */
export function assertNoProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`The bank would refuse the file:\n${problems.join('\n')}`);
}

/** `message`: the format of ISO 20022 and its version, `pain.008.001.08`. */
export function messageOf(message: string, root: XmlPart): Buffer {
  return Buffer.from(documentOf('Document', { xmlns: `urn:iso:std:iso:20022:tech:xsd:${message}` }, root));
}

export function euroElement(name: string, amount: string): XmlPart {
  return textElement(name, amount, { Ccy: 'EUR' });
}

export function groupHeader(
  { messageId, createdAt, owner }: FileHead,
  payments: readonly { readonly amount: string }[],
): XmlPart {
  return element(
    'GrpHdr',
    textElement('MsgId', messageId),
    textElement('CreDtTm', createdAt),
    ...countAndSum(payments),
    element('InitgPty', nameElement(owner.name)),
  );
}

export function countAndSum(payments: readonly { readonly amount: string }[]): XmlPart[] {
  return [textElement('NbOfTxs', String(payments.length)), textElement('CtrlSum', sumOf(payments))];
}

export function nameElement(name: string): XmlPart {
  return textElement('Nm', bankText(name, NAME_CHARACTERS_MAX));
}

export function purposeElement(purpose: string): XmlPart {
  return nested('RmtInf/Ustrd', bankText(purpose, PURPOSE_CHARACTERS_MAX));
}

/** `role`: `Cdtr` or `Dbtr`. */
export function ownerElements(role: 'Cdtr' | 'Dbtr', { name, iban, bic }: AccountOwner): XmlPart[] {
  return [
    element(role, nameElement(name)),
    nested(`${role}Acct/Id/IBAN`, iban),
    element(`${role}Agt`, bic === null ? BANK_NOT_NAMED : nested('FinInstnId/BICFI', bic)),
  ];
}

export function bankNotNamed(role: 'Dbtr'): XmlPart {
  return element(`${role}Agt`, BANK_NOT_NAMED);
}

export const CHARGES_SHARED = textElement('ChrgBr', 'SLEV');
export const SEPA_SERVICE = nested('SvcLvl/Cd', 'SEPA');
