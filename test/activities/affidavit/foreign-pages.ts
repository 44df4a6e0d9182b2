import { PDFDocument } from 'pdf-lib';
import { attachmentName } from '../../../activities/affidavit/render.ts';
import { addSealField } from '../../../domain/pdf/signature/seal-field.ts';

/** Pages that our renderer does not make, ready for a seal, with this for their attachment. */
export async function foreignPages(json: string): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  document.addPage();
  await document.attach(Buffer.from(json), attachmentName, { mimeType: 'application/json' });
  addSealField(document, new Date());
  return document.save();
}
