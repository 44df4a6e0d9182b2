import { decodePDFRawStream, PDFArray, PDFRawStream, type PDFPage } from 'pdf-lib';

/** The operators of a page, as text. */
export function contentOf(page: PDFPage): string {
  const contents = page.node.Contents();
  const parts = contents instanceof PDFArray ? contents.asArray() : [contents];
  const streams = parts.map((part) => page.doc.context.lookup(part));
  return streams
    .map((stream) => {
      if (!(stream instanceof PDFRawStream)) throw new Error('a content stream is expected');
      return Buffer.from(decodePDFRawStream(stream).decode()).toString('latin1');
    })
    .join('\n');
}
