import { AFRelationship, type PDFDocument } from 'pdf-lib';
import {
  affidavitContent,
  canonicalJson,
  type AffidavitContent,
} from '../../domain/affidavit/content.ts';
import { writePages } from '../../domain/affidavit/pages/pages.ts';
import { describeDocument, nameDocument } from '../../domain/pdf/layout/describe.ts';
import { instantText } from '../../domain/pdf/layout/labels.ts';
import { marksOf } from '../../domain/pdf/layout/marks.ts';
import { writeRunning } from '../../domain/pdf/layout/page-furniture.ts';
import { closeSheet, createSheet } from '../../domain/pdf/layout/sheet.ts';
import { addSealField } from '../../domain/pdf/signature/seal-field.ts';
import { embedFonts } from '../pdf/fonts.ts';

export const attachmentName = 'affidavit.json';

/**
 * Renders an affidavit with an empty seal. The same content gives the same bytes, so that anyone
 * can render the attachment again and compare.
 */
export async function renderAffidavit(given: AffidavitContent): Promise<Uint8Array> {
  // Uses the order of members in the attachment, because a verifier has no other order.
  const json = canonicalJson(given);
  const content = affidavitContent.parse(JSON.parse(json));
  const sheet = await createSheet(json, embedFonts);
  writePages(sheet, content);
  const names = `Affidavit ${content.affidavit_id} · issued ${instantText(content.issued_at)}`;
  writeRunning(sheet, { names, marks: marksOf(content) });
  closeSheet(sheet);
  const title = `${sheet.fonts.clean(content.title)} ${content.affidavit_id}`;
  await describe(sheet.document, { title, content, json });
  addSealField(sheet.document, new Date(content.issued_at));
  return sheet.document.save({ useObjectStreams: true, addDefaultPage: false });
}

async function describe(
  document: PDFDocument,
  { title, content, json }: { title: string; content: AffidavitContent; json: string },
): Promise<void> {
  const issued = new Date(content.issued_at);
  const [mark] = marksOf(content);
  const subject = mark ? `${mark.name}: proves nothing` : 'Outcome of a trust check';
  describeDocument(document, { title, subject, at: issued });
  await document.attach(Buffer.from(json), attachmentName, {
    mimeType: 'application/json',
    description: 'The content of this affidavit, canonical JSON',
    creationDate: issued,
    modificationDate: issued,
    afRelationship: AFRelationship.Data,
  });
  nameDocument(document, content.affidavit_id);
}
