import { createHash } from 'node:crypto';
import {
  AFRelationship,
  PDFArray,
  PDFDict,
  PDFHexString,
  PDFInvalidObject,
  PDFName,
  PDFNumber,
  PDFString,
  rgb,
  type PDFDocument,
  type PDFPage,
} from 'pdf-lib';
import { encode as encodeQr } from 'uqr';
import { affidavitContent, canonicalJson, type AffidavitContent } from './content.ts';
import { createPageWriter, type PageWriter } from './page-writer.ts';

export const attachmentName = 'affidavit.json';
/** Bytes kept for the seal: measured 3.2 to 4.1 kB with its time stamp. */
export const sealBytesMax = 8192;
const rangePlaceholder = '/ByteRange [0 0000000000 0000000000 0000000000]';

/**
 * Renders an affidavit with an empty seal: the same content gives the same bytes, so that anyone can
 * render the attachment again and compare.
 */
export async function renderAffidavit(given: AffidavitContent): Promise<Uint8Array> {
  // Members in the order the attachment has them: who renders it again has no other.
  const content = affidavitContent.parse(JSON.parse(canonicalJson(given)));
  const { document, writer } = await createPageWriter(!content.livemode);
  writePages(writer, content);
  writer.finish(`Affidavit ${content.affidavit_id}`);
  await describe(document, content);
  addSealField(document, new Date(content.issued_at));
  return document.save({ useObjectStreams: false, addDefaultPage: false });
}

function writePages(writer: PageWriter, content: AffidavitContent): void {
  writer.title('Identity verification affidavit');
  drawQr(writer.cursor().page, content.verify_url);
  writer.facts([
    ['Affidavit', content.affidavit_id],
    ['Issued', content.issued_at],
    ['Outcome', outcomeOf(content)],
    ['Session', content.session.link_session_id],
  ]);
  writer.heading('Statement');
  writer.paragraph(
    `The platform states that it ran the checks listed below in session ` +
      `${content.session.link_session_id}, that each ended as shown, and that the session was ` +
      `decided as ${content.decision.outcome} at ${content.decision.decided_at}. It states nothing ` +
      `about anything that is not listed.`,
  );
  writer.heading('Subject');
  writer.facts([
    ['Person', content.subject.poly_user_id ?? 'not enrolled'],
    ...Object.entries(content.subject.claims).map(
      ([name, value]) => [labelOf(name), value] as const,
    ),
  ]);
  writer.heading('Requester');
  const { requester } = content;
  writer.facts([
    ['Account', `${requester.account_name} (${requester.account_id})`],
    ['App', `${requester.app_name} (${requester.app_id})`],
    ['Purpose', requester.title ?? ''],
    ['Reference', requester.reference_id ?? ''],
    ['Consent', consentOf(content)],
  ]);
  for (const proof of content.proofs) {
    writer.heading(`Proof: ${labelOf(proof.type)}`);
    writer.facts([
      ['Result', proof.reason_code ? `${proof.status} (${proof.reason_code})` : proof.status],
      ['Attempts', String(proof.attempts)],
      ['Provider', proof.provider ?? ''],
      ['Evidence SHA-256', proof.evidence_sha256 ?? ''],
      ...(proof.checks.length > 0 ? [['Checks', checksOf(proof.checks)] as const] : []),
    ]);
  }
  if (Object.keys(content.matching).length > 0) {
    writer.heading('Held against what the requester expected');
    writer.facts(Object.entries(content.matching).map(([name, result]) => [labelOf(name), result]));
  }
  writer.heading('Timeline');
  writer.facts(content.timeline.map(({ at, event, state }) => [at, `${event} (${state})`]));
  writer.heading('Policy and keys');
  writer.facts([
    ['Policy', `${content.policy.framework}, version ${content.policy.version}`],
    ['Workflow', content.session.workflow_id],
    ['Seal certificate', content.keys.seal_sha256],
    ['Time-stamping', content.keys.tsa_sha256],
    ['Root certificate', content.keys.root_sha256],
  ]);
  writer.heading('How to verify this without us');
  writer.paragraph(
    'The file carries a PAdES signature with a time stamp and, as an attachment, its content as ' +
      'JSON. Check it with any PDF validator that trusts the root certificate above, with ' +
      '"pdfsig", or with "trustcheck verify FILE --root ROOT.pem".',
  );
  writer.heading('Limits');
  writer.paragraph(
    'An SMS code shows control of a phone number at one moment, not an identity. No image of a ' +
      'person or document is part of this file: evidence is named by its hash and kept, or erased, ' +
      'by the retention policy of the account.',
  );
}

function outcomeOf({ decision }: AffidavitContent): string {
  return decision.reason_code ? `${decision.outcome} (${decision.reason_code})` : decision.outcome;
}

function consentOf({ consent }: AffidavitContent): string {
  return consent ? `to terms ${consent.tos_version} at ${consent.at}` : '';
}

function checksOf(checks: readonly { name: string; result: string }[]): string {
  return checks.map(({ name, result }) => `${name}: ${result}`).join(' · ');
}

function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The address of the verifier as one vector path: no image, no script. */
function drawQr(page: PDFPage, url: string): void {
  const { data, size } = encodeQr(url, { border: 0 });
  const side = 76;
  const cell = side / size;
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  page.drawSvgPath(path, { x: 463, y: 788, scale: cell, color: rgb(0, 0, 0), borderWidth: 0 });
}

async function describe(document: PDFDocument, content: AffidavitContent): Promise<void> {
  const issued = new Date(content.issued_at);
  document.setTitle('Identity verification affidavit', { showInWindowTitleBar: true });
  document.setSubject(content.affidavit_id);
  document.setLanguage('en');
  document.setProducer('trustcheck');
  document.setCreator('trustcheck');
  document.setCreationDate(issued);
  document.setModificationDate(issued);
  await document.attach(Buffer.from(canonicalJson(content)), attachmentName, {
    mimeType: 'application/json',
    description: 'The content of this affidavit, canonical JSON',
    creationDate: issued,
    modificationDate: issued,
    afRelationship: AFRelationship.Data,
  });
  document.convertToPDFA({ conformance: '3U' });
  const id = createHash('sha256').update(content.affidavit_id).digest('hex').slice(0, 32);
  const { context } = document;
  context.trailerInfo.ID = context.obj([PDFHexString.of(id), PDFHexString.of(id)]);
}

/** The certification signature's field, invisible, with an empty hole (ETSI EN 319 142-1 §5). */
function addSealField(document: PDFDocument, signedAt: Date): void {
  const { context, catalog } = document;
  const moment = PDFString.fromDate(signedAt).toString();
  const signature = context.register(
    PDFInvalidObject.of(
      Buffer.from(
        `<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached ${rangePlaceholder} ` +
          `/Contents <${'0'.repeat(sealBytesMax * 2)}> /M ${moment} ` +
          `/Reference [<< /Type /SigRef /TransformMethod /DocMDP ` +
          `/TransformParams << /Type /TransformParams /V /1.2 /P 2 >> >>] >>`,
      ),
    ),
  );
  const [first] = document.getPages();
  if (!first) throw new Error('an affidavit has pages');
  const widget = context.register(
    context.obj({
      Type: 'Annot',
      Subtype: 'Widget',
      FT: 'Sig',
      Rect: [0, 0, 0, 0],
      F: 132,
      T: PDFString.of('PlatformSeal'),
      V: signature,
      P: first.ref,
    }),
  );
  first.node.addAnnot(widget);
  const form = PDFDict.withContext(context);
  const fields = PDFArray.withContext(context);
  fields.push(widget);
  form.set(PDFName.of('Fields'), fields);
  form.set(PDFName.of('SigFlags'), PDFNumber.of(3));
  catalog.set(PDFName.of('AcroForm'), context.register(form));
  catalog.set(PDFName.of('Perms'), context.obj({ DocMDP: signature }));
}
