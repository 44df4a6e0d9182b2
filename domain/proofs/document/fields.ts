import type { DocumentType } from './document-types.ts';

/** The fields of a document, from any source. */
export interface DocumentFields {
  readonly source: 'mrz' | 'barcode';
  readonly documentType: DocumentType;
  readonly issuingCountry: string;
  readonly documentNumber: string;
  readonly surname: string;
  readonly givenNames: string;
  readonly fullName: string;
  readonly birthDate: string | null;
  readonly nationality: string | null;
  readonly sex: string;
  readonly expiryDate: string | null;
  /** Only barcodes state it. */
  readonly issueDate: string | null;
  /** ISO 3166-2 of the holder's address. Only barcodes state it and the place of birth. */
  readonly region: string | null;
  readonly birthPlace: string | null;
}
