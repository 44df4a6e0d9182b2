import type { X509Certificate } from 'node:crypto';
import { PDFDocument } from 'pdf-lib';
import { readCertificate } from '../passport/certificate.ts';
import { defectOf, readCrl, revokes, type Crl } from '../passport/crl.ts';
import { isCertifiedBy } from '../certificates/is-certified-by.ts';
import { asItIs, unique, writeArchive, type ValidationData } from './archive.ts';
import { digestAround, heldIn } from './signed-range.ts';
import { judgeToken } from './token.ts';
import { notRead, type Archive, type Answer, type Rule, type State } from './verdict.ts';

const noArchive = { skipped: 'none: the file ends with its seal' } as const;

/** The document time stamp is over the whole file, and stamped no earlier than the seal. */
export const checkDocumentTimestamp: Rule = (state) => {
  const { archive, pdf, hole } = state;
  if (!hole) return notRead;
  if (!archive) return noArchive;
  const held = heldIn(pdf, archive.hole);
  if (!held) return { fault: 'hidden_bytes' };
  const judged = judgeToken(held, digestAround(pdf, archive.hole, pdf.length));
  if ('fault' in judged) {
    return { fault: judged.fault === 'timestamp' ? 'document_timestamp' : judged.fault };
  }
  // Over the whole file, it is over a seal that has none of its own (EN 319 142-1 §6.3, B-T).
  if (state.isUnstamped) state.sealedAt = judged.at;
  else if (!state.sealedAt) return notRead;
  else if (judged.at < state.sealedAt) return { fault: 'document_timestamp' };
  archive.token = judged.token;
  archive.stampedAt = judged.at;
  return 'ok';
};

/**
 * The time stamp of the seal was still in force when the one over the whole file was given: lists
 * need not name what has ended (RFC 5280 §5), so that they clear no key known after its end.
 */
export function isStampedInTime({ token, archive }: State): boolean {
  const stampedAt = archive?.stampedAt;
  if (!stampedAt || !token) return true;
  return token.certificates.every(({ validToDate }) => stampedAt < validToDate);
}

/**
 * The validation data are the certificates of seal and time stamps, and of each CA above them a CRL
 * that was in force at the document time stamp, was made after what it clears, and lists none.
 */
export const checkRevocation: Rule = (state) => {
  const { archive, root, pdf } = state;
  if (!archive) return state.hole ? noArchive : notRead;
  if (!archive.stampedAt || !root) return notRead;
  const data = readValidationData(pdf, archive);
  if (!data || !areAllThere(data, state)) return { fault: 'validation_data' };
  const above = state.stampRoot ? [root, state.stampRoot] : [root];
  return judgeLists(data, above, archive.stampedAt);
};

/** Nothing was added after the seal but these data and this time stamp, byte for byte. */
export const checkRevisions: Rule = async (state) => {
  const { archive, pdf } = state;
  if (!archive) return state.hole ? noArchive : notRead;
  const data = readValidationData(pdf, archive);
  if (!data) return { fault: 'revision' };
  const sealed = pdf.subarray(0, archive.from);
  const { start, end } = archive.hole;
  const document = state.document ?? (await PDFDocument.load(sealed, asItIs));
  const written = writeArchive(sealed, document, { data, bytesMax: (end - start - 2) / 2 });
  const range = written.indexOf('/ByteRange [', archive.from, 'latin1');
  const rangeEnd = written.indexOf(']', range, 'latin1');
  // What the time stamp itself put there was judged with it.
  pdf.copy(written, range, range, rangeEnd);
  pdf.copy(written, start, start, end);
  return written.equals(pdf) ? 'ok' : { fault: 'revision' };
};

/** Certificates and lists in the validation data; ours have three and two. */
const streamsMax = 32;

/**
 * The streams after the seal, as they are written, up to the dictionary that says which of them
 * are certificates; null when it does not. Whether all is where it belongs tells `checkRevisions`.
 */
function readValidationData(pdf: Buffer, { from, hole }: Archive): ValidationData | null {
  const streams: Buffer[] = [];
  let at = from + 1;
  for (;;) {
    const head = pdf.subarray(at, at + 2048).toString('latin1');
    const found = /^\d{1,7} 0 obj\n<< \/Length (\d{1,7}) >>\nstream\n/.exec(head);
    if (!found) return divided(head, streams);
    const start = at + found[0].length;
    const end = start + Number(found[1]);
    if (streams.length >= streamsMax || end > hole.start) return null;
    streams.push(pdf.subarray(start, end));
    at = end + '\nendstream\nendobj\n'.length;
  }
}

function divided(head: string, streams: readonly Buffer[]): ValidationData | null {
  const dss = /^\d{1,7} 0 obj\n<< \/Certs \[([\d R]*)\] \/CRLs \[([\d R]*)\] >>\nendobj\n/;
  const [, certificates = '', crls = ''] = dss.exec(head) ?? [];
  const [first, second] = [certificates, crls].map((refs) => refs.split('R').length - 1);
  if (!first || !second || first + second !== streams.length) return null;
  return { certificates: streams.slice(0, first), crls: streams.slice(first) };
}

function areAllThere({ certificates }: ValidationData, { seal, token, archive }: State): boolean {
  const used = [seal, token, archive?.token].flatMap((cms) => cms?.certificates ?? []);
  const wanted = unique(used.map(({ raw }) => raw));
  return (
    wanted.length === certificates.length &&
    wanted.every((one, index) => Buffer.compare(one, certificates[index] ?? Buffer.of()) === 0)
  );
}

function judgeLists(data: ValidationData, roots: readonly X509Certificate[], at: Date): Answer {
  const held = data.certificates.map((der) => readCertificate(der));
  const issuers = [...held, ...roots.map(({ raw }) => readCertificate(raw))];
  const lists = data.crls.map((der) => readCrl(der));
  const usedLists = new Set<Crl>();
  for (const one of held) {
    const issuer = issuers.find(({ x509 }) => isCertifiedBy(one.x509(), x509()));
    const list = lists.find((crl) => issuer && crl.signed(issuer, 'refuse'));
    if (!list || !doesClear(list, one.x509().validFromDate, at))
      return { fault: 'validation_data' };
    if (revokes(list, one.serial)) return { fault: 'revoked' };
    usedLists.add(list);
  }
  return usedLists.size === lists.length ? 'ok' : { fault: 'validation_data' };
}

function doesClear(list: Crl, notBefore: Date, at: Date): boolean {
  const { thisUpdate, nextUpdate } = list;
  const isInForce = nextUpdate !== null && at < nextUpdate;
  return defectOf(list, at) === null && isInForce && notBefore <= thisUpdate;
}
