import { createHash } from 'node:crypto';
import { PDFHexString, type PDFDocument } from 'pdf-lib';

/** Sets the document's metadata. Its dates come from its content, not from the clock. */
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

/**
 * Declares PDF/UA-1 (ISO 14289-1 §5), with a description of the property: PDF/A allows an unknown
 * property only with a description of its schema (ISO 19005-3 §6.6.2.3).
 */
const accessible = `<rdf:Description rdf:about=""
  xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"
  xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
  xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"
  xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
  <pdfuaid:part>1</pdfuaid:part>
  <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
    <pdfaSchema:schema>PDF/UA identification schema</pdfaSchema:schema>
    <pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>
    <pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
    <pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
      <pdfaProperty:name>part</pdfaProperty:name>
      <pdfaProperty:valueType>Integer</pdfaProperty:valueType>
      <pdfaProperty:category>internal</pdfaProperty:category>
      <pdfaProperty:description>The part of ISO 14289 it conforms to</pdfaProperty:description>
    </rdf:li></rdf:Seq></pdfaSchema:property>
  </rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>`;

/** Makes it PDF/A-3U and PDF/UA-1, with a file identifier derived from its name. */
export function nameDocument(document: PDFDocument, name: string): void {
  document.convertToPDFA({ conformance: '3U', extensions: [accessible] });
  const id = createHash('sha256').update(name).digest('hex').slice(0, 32);
  const { context } = document;
  context.trailerInfo.ID = context.obj([PDFHexString.of(id), PDFHexString.of(id)]);
}
