import type { DocumentReading, SideReading } from '../../../../domain/proofs/document/reading.ts';
import {
  verifyDocumentImage,
  type DocumentPolicy,
} from '../../../../domain/proofs/document/verify-document-image.ts';
import { licenceText, type LicenceFields } from '../../../../simulator/document/licence.ts';
import { mrzLines, type MrzFields } from '../../../../simulator/passport/mrz.ts';
import { holder } from './holder.ts';

export const at = new Date('2026-11-21T12:00:00Z');
const fields: MrzFields = { holder, documentNumber: 'L898902C3', expiresOn: '2030-04-15' };
export const licence: LicenceFields = {
  ...holder,
  version: 10,
  issuerNumber: '636014',
  type: 'DL',
  country: 'USA',
  documentNumber: 'D1234567',
  issuedOn: '2022-04-15',
  expiresOn: '2030-08-12',
};
export const printed = 'DL D1234567 EXP 08/12/2030 LN ERIKSSON FN ANNA DOB 08/12/1974'.split(' ');
export const visual = 'L898902C3 Eriksson 12 AUG 1974 15 APR 2030'.split(' ');

export const nothing: SideReading = {
  refused: null,
  mrz: null,
  barcode: null,
  refusal: 'no_document',
  isSeen: false,
  words: [],
};
/** The front of the same document with another surname. */
export const namedInPrint = (surname: string): SideReading => ({
  ...nothing,
  words: printed.map((word) => (word === 'ERIKSSON' ? surname : word)),
});
export const zone = (kind: Parameters<typeof mrzLines>[0], changes: Partial<MrzFields> = {}) => ({
  ...nothing,
  isSeen: true,
  mrz: { lines: mrzLines(kind, { ...fields, ...changes }) },
});
export const real = zone('TD3', { issuingState: 'D', holder: { ...holder, nationality: 'D' } });
export const code = (changes: Partial<LicenceFields> = {}): SideReading => ({
  ...nothing,
  barcode: licenceText({ ...licence, ...changes }),
});
export const sides = (front: SideReading, back: SideReading | null = null): DocumentReading => ({
  front,
  back,
});
export const judge = (reading: DocumentReading, policy: DocumentPolicy = {}) => {
  const taken = { development: true, ...policy };
  const { verdict, reason_code, checks } = verifyDocumentImage(taken, reading, at);
  return [verdict, reason_code, checks.find(({ result }) => result === 'failed')?.name];
};
export const passed = ['passed', null, undefined];
/** Like an Argentine card: a barcode of its own format beside the zone. */
const foreignCode = '00012345678@ERIKSSON@ANNA MARIA@F@12345678@A@12/08/1974';
export const front: SideReading = { ...nothing, words: printed };
export const longName = 'A'.repeat(41);
export const foreign: SideReading = { ...nothing, barcode: foreignCode };
export const wrongDigit = mrzLines('TD3', fields).map((line) => line.replace('L898', 'L893'));
