import { z } from 'zod';
import { bytes, common, list, wasRemoved } from '../file-members.ts';
import type { Verdict } from '../verdict.ts';
import { documentTypes } from './document-types.ts';
import type { DocumentImages, DocumentReading } from './reading.ts';
import { documentRules } from './rules.ts';
import { verifyAamva } from './verify-aamva.ts';
import { verifyDocumentImage } from './verify-document-image.ts';

/** Photographs of a document. */
const photographs = z.object({
  ...common,
  kind: z.literal('document-image'),
  policy: z.object({
    document_types: list(z.enum(documentTypes), 10).optional(),
    countries: list(z.string().regex(/^[A-Z]{3}$/), 300).optional(),
    development: z.boolean().optional(),
    rules: z.literal(documentRules),
  }),
  input: z.object({ front: bytes.optional(), back: bytes.optional() }),
});

/** What was photographed is there, or was removed. */
const hasFront = (file: z.output<typeof photographs>): boolean =>
  file.input.front !== undefined || wasRemoved(file);

export const documentImageFile = photographs.refine(hasFront, {
  path: ['input', 'front'],
  message: 'missing',
});

/** The text of the barcode on a driving licence. */
export const aamvaFile = z.object({
  ...common,
  kind: z.literal('aamva'),
  policy: z.object({}).optional(),
  input: z.object({ text: z.string() }),
});

/** Judges an evidence file of kind `aamva`. */
export const verifyAamvaFile = ({ input, at }: z.output<typeof aamvaFile>): Verdict =>
  verifyAamva(input.text, at);

/** Reads the images of documents: the same images give the same reading. */
export interface DocumentReader {
  readDocument(images: DocumentImages): Promise<DocumentReading>;
}

/** Judges a whole evidence file of kind `document-image`, whose images it reads first. */
export async function verifyDocumentFile(
  { policy, input, at }: z.output<typeof photographs>,
  { readDocument }: DocumentReader,
): Promise<Verdict> {
  const { document_types: types, rules: _rules, ...given } = policy;
  const { front = new Uint8Array(), back } = input;
  const reading = await readDocument({ front, back });
  return verifyDocumentImage({ documentTypes: types, ...given }, reading, at);
}
