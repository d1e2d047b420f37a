import { element, nested, textElement, type XmlPart } from '../../../platform/xml.ts';
import { type Debit, type DebitFile, debitFileProblems, type SequenceType } from './instructions.ts';
import {
  assertNoProblems,
  bankNotNamed,
  CHARGES_SHARED,
  countAndSum,
  euroElement,
  groupHeader,
  messageOf,
  nameElement,
  ownerElements,
  purposeElement,
  SEPA_SERVICE,
} from './parts.ts';

export const DEBIT_FORMAT = 'pain.008.001.08';

/** The bank reports a whole block by this id where it does not report each debit. */
export function debitBlockId(messageId: string, sequenceType: SequenceType): string {
  return `${messageId}-${sequenceType}`;
}

/**
 * A SEPA core direct debit file in the version that German banks take (DFÜ agreement, annex 3). The order of the elements
 * is the schema's. First debits of a mandate and those that follow stand in blocks of their own.
 */
export function directDebitFile(file: DebitFile): Buffer {
  assertNoProblems(debitFileProblems(file));
  const blocks = (['FRST', 'RCUR'] as const).flatMap((sequenceType) => {
    const debits = file.debits.filter((debit) => debit.sequenceType === sequenceType);
    return debits.length === 0 ? [] : [block(file, sequenceType, debits)];
  });
  return messageOf(DEBIT_FORMAT, element('CstmrDrctDbtInitn', groupHeader(file, file.debits), ...blocks));
}

function block(file: DebitFile, sequenceType: SequenceType, debits: readonly Debit[]): XmlPart {
  return element(
    'PmtInf',
    textElement('PmtInfId', debitBlockId(file.messageId, sequenceType)),
    textElement('PmtMtd', 'DD'),
    ...countAndSum(debits),
    element('PmtTpInf', SEPA_SERVICE, nested('LclInstrm/Cd', 'CORE'), textElement('SeqTp', sequenceType)),
    textElement('ReqdColltnDt', file.on),
    ...ownerElements('Cdtr', file.owner),
    CHARGES_SHARED,
    element(
      'CdtrSchmeId',
      element(
        'Id',
        element(
          'PrvtId',
          element('Othr', textElement('Id', file.creditorId), nested('SchmeNm/Prtry', 'SEPA')),
        ),
      ),
    ),
    ...debits.map(debitElement),
  );
}

function debitElement(debit: Debit): XmlPart {
  return element(
    'DrctDbtTxInf',
    nested('PmtId/EndToEndId', debit.endToEndId),
    euroElement('InstdAmt', debit.amount),
    element(
      'DrctDbtTx',
      element(
        'MndtRltdInf',
        textElement('MndtId', debit.mandateReference),
        textElement('DtOfSgntr', debit.mandateSignedOn),
      ),
    ),
    bankNotNamed('Dbtr'),
    element('Dbtr', nameElement(debit.name)),
    nested('DbtrAcct/Id/IBAN', debit.iban),
    purposeElement(debit.purpose),
  );
}
