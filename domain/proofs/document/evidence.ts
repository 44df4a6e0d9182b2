import { z } from 'zod';
import { bytes, common, list, wasRemoved } from '../file-members.ts';
import { documentTypes } from './document-types.ts';
import { documentRules } from './rules.ts';

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

/** The photograph is present, or it was removed. */
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

export type AamvaFile = z.output<typeof aamvaFile>;
export type DocumentImageFile = z.output<typeof photographs>;
