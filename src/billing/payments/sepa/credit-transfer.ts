import { element, nested, textElement, type XmlPart } from '../../../platform/xml.ts';
import { type Transfer, type TransferFile, transferFileProblems } from './instructions.ts';
import {
  assertNoProblems,
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

export const TRANSFER_FORMAT = 'pain.001.001.09';

export function transferBlockId(messageId: string): string {
  return `${messageId}-TRF`;
}

/** A file of SEPA credit transfers in the version that German banks take. The order of the elements is the schema's. */
export function creditTransferFile(file: TransferFile): Buffer {
  assertNoProblems(transferFileProblems(file));
  return messageOf(
    TRANSFER_FORMAT,
    element(
      'CstmrCdtTrfInitn',
      groupHeader(file, file.transfers),
      element(
        'PmtInf',
        textElement('PmtInfId', transferBlockId(file.messageId)),
        textElement('PmtMtd', 'TRF'),
        ...countAndSum(file.transfers),
        element('PmtTpInf', SEPA_SERVICE),
        nested('ReqdExctnDt/Dt', file.on),
        ...ownerElements('Dbtr', file.owner),
        CHARGES_SHARED,
        ...file.transfers.map(transferElement),
      ),
    ),
  );
}

function transferElement(transfer: Transfer): XmlPart {
  return element(
    'CdtTrfTxInf',
    nested('PmtId/EndToEndId', transfer.endToEndId),
    element('Amt', euroElement('InstdAmt', transfer.amount)),
    element('Cdtr', nameElement(transfer.name)),
    nested('CdtrAcct/Id/IBAN', transfer.iban),
    purposeElement(transfer.purpose),
  );
}
