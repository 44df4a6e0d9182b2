import { createHash } from 'node:crypto';
import { PDFArray, PDFDict, PDFDocument, PDFName, PDFRef, type PDFObject } from 'pdf-lib';
import { rangePlaceholder } from './empty-seal.ts';
import { HoleTooSmall, openHole } from './hole.ts';
import { appendRevision, lastRevisionOf, streamOf, type NewObject } from './revision.ts';
import type { TimestampAuthority } from './timestamp.ts';

/** What judges the certificates of seal and time stamps without any network, all DER. */
export interface ValidationData {
  readonly certificates: readonly Uint8Array[];
  readonly crls: readonly Uint8Array[];
}

/** Bytes kept for the document time stamp, measured 1.7 to 2.1 kB; the other is for a retry. */
export const archiveBytesMax = [4096, 8192] as const;

/** How a sealed file is read: as it is, with nothing mended. */
export const asItIs = { updateMetadata: false, throwOnInvalidObject: true } as const;

/**
 * Makes a sealed affidavit PAdES B-LTA (EN 319 142-1 §6.3): a revision with the validation data,
 * then one with a time stamp over the whole file, and nothing after it. A token that does not fit
 * is asked for once more with twice the place; then it throws `HoleTooSmall`.
 */
export async function archiveAffidavit(
  sealed: Uint8Array,
  data: ValidationData,
  authority: TimestampAuthority,
): Promise<Buffer> {
  const base = Buffer.from(sealed);
  const document = await PDFDocument.load(base, asItIs);
  const [usual, double] = archiveBytesMax;
  try {
    return await stampWithin(usual);
  } catch (error) {
    if (!(error instanceof HoleTooSmall)) throw error;
    return stampWithin(double);
  }

  async function stampWithin(bytesMax: number): Promise<Buffer> {
    const unstamped = writeArchive(base, document, { data, bytesMax });
    const hole = openHole(unstamped, bytesMax, base.length);
    return hole.fill(await authority.stamp(createHash('sha256').update(hole.covered).digest()));
  }
}

/**
 * The one way to write these revisions, with an empty time stamp: who reads a file holds it against
 * this, so that nothing else can stand in them. The document is the sealed file, read.
 */
export function writeArchive(
  sealed: Buffer,
  document: PDFDocument,
  { data, bytesMax }: { readonly data: ValidationData; readonly bytesMax: number },
): Buffer {
  const judged = appendRevision(sealed, validationObjects(sealed, document, data));
  return appendRevision(judged, stampObjects(judged, document, bytesMax));
}

/** The DSS dictionary (EN 319 142-1 §5.4.2) after its streams, and the catalog that names it. */
function validationObjects(
  sealed: Buffer,
  { catalog }: PDFDocument,
  { certificates, crls }: ValidationData,
): NewObject[] {
  const { size, root } = lastRevisionOf(sealed);
  const streams = [...certificates, ...crls].map((bytes, index) => ({
    number: size + index,
    body: streamOf(bytes),
  }));
  const refs = streams.map(({ number }) => `${number} 0 R`);
  const [ofCertificates, ofCrls] = [refs.slice(0, certificates.length), refs];
  const listed = ofCrls.slice(certificates.length).join(' ');
  const dss = {
    number: size + streams.length,
    body: `<< /Certs [${ofCertificates.join(' ')}] /CRLs [${listed}] >>`,
  };
  const named = catalog.clone();
  named.set(PDFName.of('DSS'), PDFRef.of(dss.number));
  return [...streams, dss, { number: root, body: textOf(named) }];
}

/**
 * The document time stamp (EN 319 142-1 §5.4.3), its invisible field, and the form and the page
 * that name it.
 */
function stampObjects(judged: Buffer, document: PDFDocument, bytesMax: number): NewObject[] {
  const { size } = lastRevisionOf(judged);
  const [page] = document.getPages();
  const formRef = document.catalog.get(PDFName.of('AcroForm'));
  if (!page || !(formRef instanceof PDFRef)) throw new Error('there is no sealed page');
  const [stamp, widget] = [PDFRef.of(size), PDFRef.of(size + 1)];
  const form = document.context.lookup(formRef, PDFDict).clone();
  form.set(PDFName.of('Fields'), listWith(form.lookup(PDFName.of('Fields'), PDFArray), widget));
  const leaf = page.node.clone();
  leaf.set(PDFName.of('Annots'), listWith(leaf.lookup(PDFName.of('Annots'), PDFArray), widget));
  return [
    {
      number: stamp.objectNumber,
      body:
        `<< /Type /DocTimeStamp /Filter /Adobe.PPKLite /SubFilter /ETSI.RFC3161 ` +
        `${rangePlaceholder} /Contents <${'0'.repeat(bytesMax * 2)}> >>`,
    },
    {
      number: widget.objectNumber,
      body:
        `<< /Type /Annot /Subtype /Widget /FT /Sig /Rect [0 0 0 0] /F 132 ` +
        `/T (PlatformTimestamp) /V ${String(stamp)} /P ${String(page.ref)} >>`,
    },
    { number: formRef.objectNumber, body: textOf(form) },
    { number: page.ref.objectNumber, body: textOf(leaf) },
  ];
}

function listWith(list: PDFArray, ref: PDFRef): PDFArray {
  const longer = list.clone();
  longer.push(ref);
  return longer;
}

/** An object on one line, the same whichever version of the library read it. */
function textOf(object: PDFObject): string {
  if (object instanceof PDFDict) {
    const entries = object.entries().map(([name, value]) => `${textOf(name)} ${textOf(value)}`);
    return `<< ${entries.join(' ')} >>`;
  }
  if (object instanceof PDFArray) return `[${object.asArray().map(textOf).join(' ')}]`;
  return object.toString();
}

/** Each once, in the order in which they come first. */
export function unique(certificates: readonly Uint8Array[]): Uint8Array[] {
  const isFirst = (one: Uint8Array, index: number): boolean =>
    certificates.findIndex((other) => Buffer.compare(one, other) === 0) === index;
  return certificates.filter(isFirst);
}
