import { createHash } from 'node:crypto';
import { PDFHexString, type PDFDocument } from 'pdf-lib';

/** What a document says of itself; its dates are those of what it says, not of the clock. */
export function describeDocument(
  document: PDFDocument,
  { title, subject, at }: { title: string; subject: string; at: Date },
): void {
  document.setTitle(title, { showInWindowTitleBar: true });
  document.setSubject(subject);
  document.setLanguage('en');
  document.setProducer('trustcheck');
  document.setCreator('trustcheck');
  document.setCreationDate(at);
  document.setModificationDate(at);
}

/** Makes it PDF/A-3U, with a file identifier that comes of its name. */
export function nameDocument(document: PDFDocument, name: string): void {
  document.convertToPDFA({ conformance: '3U' });
  const id = createHash('sha256').update(name).digest('hex').slice(0, 32);
  const { context } = document;
  context.trailerInfo.ID = context.obj([PDFHexString.of(id), PDFHexString.of(id)]);
}
