import { createHash } from 'node:crypto';
import {
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  PDFRawStream,
  PDFRef,
  type PDFObject,
} from 'pdf-lib';
import type { TimestampAuthority } from '../../pki/timestamps/sign-token.ts';
import { rangePlaceholder } from './empty-seal.ts';
import { PlaceholderTooSmall, openPlaceholder } from './signature-placeholder.ts';
import { appendRevision, lastRevisionOf, streamOf, type NewObject } from './revision.ts';

/** Data to judge the certificates of seal and time stamps offline, all DER. */
export interface ValidationData {
  readonly certificates: readonly Uint8Array[];
  readonly crls: readonly Uint8Array[];
}

/** Archives per file. One every nine years is enough; key thefts require more. */
export const archivesMax = 32;

/**
 * Bytes reserved for the document time stamp, measured 1.7 to 2.1 kB; the second is for a retry.
 */
export const archiveBytesMax = [4096, 8192] as const;

/** Parses a sealed file unchanged, without repairs. */
export const asItIs = { updateMetadata: false, throwOnInvalidObject: true } as const;

/**
 * Makes a sealed affidavit PAdES B-LTA (EN 319 142-1 §6.3), or renews one (§5.5). It appends a
 * revision with the validation data that the file does not contain yet, then one with a time stamp
 * over the whole file. If a token does not fit, it is requested once more with twice the space.
 * @throws `PlaceholderTooSmall` if it still does not fit
 */
export async function archiveAffidavit(
  file: Uint8Array,
  given: ValidationData,
  authority: TimestampAuthority,
): Promise<Buffer> {
  const base = Buffer.from(file);
  const document = await PDFDocument.load(base, asItIs);
  const data = withoutEmbedded(given, validationDataIn(document));
  const [usual, double] = archiveBytesMax;
  try {
    return await stampWithin(usual);
  } catch (error) {
    if (!(error instanceof PlaceholderTooSmall)) throw error;
    return stampWithin(double);
  }

  async function stampWithin(bytesMax: number): Promise<Buffer> {
    const unstamped = writeArchive(base, document, { data, bytesMax });
    const hole = openPlaceholder(unstamped, bytesMax, base.length);
    return hole.fill(await authority.stamp(createHash('sha256').update(hole.covered).digest()));
  }
}

/**
 * Writes these revisions in their only form, with an empty time stamp. A verifier compares a file
 * with this, so that the revisions can contain nothing else. `document` is the parsed file before
 * them; `data` are those that it does not contain.
 */
export function writeArchive(
  file: Buffer,
  document: PDFDocument,
  { data, bytesMax }: { readonly data: ValidationData; readonly bytesMax: number },
): Buffer {
  const judged = appendRevision(file, validationObjects(file, document, data));
  return appendRevision(judged, stampObjects(judged, document, bytesMax));
}

/**
 * Returns the DSS dictionary (EN 319 142-1 §5.4.2) after its new streams, and the catalog that
 * references it. It also references the streams of the previous one.
 */
function validationObjects(
  file: Buffer,
  document: PDFDocument,
  { certificates, crls }: ValidationData,
): NewObject[] {
  const { catalog } = document;
  const { size, root } = lastRevisionOf(file);
  const streams = [...certificates, ...crls].map((bytes, index) => ({
    number: size + index,
    body: streamOf(bytes),
  }));
  const refs = streams.map(({ number }) => `${number} 0 R`);
  const earlier = embeddedRefs(document);
  const certs = [...earlier.certificates.map(String), ...refs.slice(0, certificates.length)];
  const listed = [...earlier.crls.map(String), ...refs.slice(certificates.length)];
  const dss = {
    number: size + streams.length,
    body: `<< /Certs [${certs.join(' ')}] /CRLs [${listed.join(' ')}] >>`,
  };
  const named = catalog.clone();
  named.set(PDFName.of('DSS'), PDFRef.of(dss.number));
  return [...streams, dss, { number: root, body: textOf(named) }];
}

/** Returns the references in the DSS dictionary of a file; empty if it has none. */
function embeddedRefs({ catalog }: PDFDocument): {
  readonly certificates: readonly PDFRef[];
  readonly crls: readonly PDFRef[];
} {
  const dss = catalog.lookupMaybe(PDFName.of('DSS'), PDFDict);
  const refsIn = (name: string): readonly PDFRef[] =>
    (dss?.lookup(PDFName.of(name), PDFArray).asArray() ?? []).filter(
      (one): one is PDFRef => one instanceof PDFRef,
    );
  return { certificates: refsIn('Certs'), crls: refsIn('CRLs') };
}

/** Returns the validation data of a file, in the order in which it was added. */
export function validationDataIn(document: PDFDocument): ValidationData {
  const refs = embeddedRefs(document);
  const bytesOf = (ref: PDFRef): Uint8Array => {
    const stream = document.context.lookup(ref);
    if (!(stream instanceof PDFRawStream)) throw new Error('validation data without a stream');
    return stream.contents;
  };
  return { certificates: refs.certificates.map(bytesOf), crls: refs.crls.map(bytesOf) };
}

function withoutEmbedded(data: ValidationData, embedded: ValidationData): ValidationData {
  const isNew = (among: readonly Uint8Array[]) => (one: Uint8Array) =>
    !among.some((other) => Buffer.compare(one, other) === 0);
  return {
    certificates: data.certificates.filter(isNew(embedded.certificates)),
    crls: data.crls.filter(isNew(embedded.crls)),
  };
}

/**
 * Returns the document time stamp (EN 319 142-1 §5.4.3), its invisible field, and the form and page
 * that reference it.
 */
function stampObjects(judged: Buffer, document: PDFDocument, bytesMax: number): NewObject[] {
  const { size } = lastRevisionOf(judged);
  const [page] = document.getPages();
  const formRef = document.catalog.get(PDFName.of('AcroForm'));
  if (!page || !(formRef instanceof PDFRef)) throw new Error('there is no sealed page');
  const [stamp, widget] = [PDFRef.of(size), PDFRef.of(size + 1)];
  const form = document.context.lookup(formRef, PDFDict).clone();
  const fields = form.lookup(PDFName.of('Fields'), PDFArray);
  // Fields of a form need unique names (ISO 32000-1 §12.7.3.2); the seal's is the first.
  const number = fields.size() > 1 ? String(fields.size()) : '';
  form.set(PDFName.of('Fields'), listWith(fields, widget));
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
        `/T (PlatformTimestamp${number}) /V ${String(stamp)} /P ${String(page.ref)} >>`,
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

/** Returns an object on one line, independent of the library's version. */
function textOf(object: PDFObject): string {
  if (object instanceof PDFDict) {
    const entries = object.entries().map(([name, value]) => `${textOf(name)} ${textOf(value)}`);
    return `<< ${entries.join(' ')} >>`;
  }
  if (object instanceof PDFArray) return `[${object.asArray().map(textOf).join(' ')}]`;
  return object.toString();
}

/** Removes duplicates; the first occurrence stays in its place. */
export function unique(certificates: readonly Uint8Array[]): Uint8Array[] {
  const isFirst = (one: Uint8Array, index: number): boolean =>
    certificates.findIndex((other) => Buffer.compare(one, other) === 0) === index;
  return certificates.filter(isFirst);
}
