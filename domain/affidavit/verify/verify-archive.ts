import { PDFDocument } from 'pdf-lib';
import { asItIs, writeArchive, type ValidationData } from '../../pdf/signature/archive.ts';
import { judgeToken } from '../../pki/timestamps/judge-token.ts';
import { judgeData, readValidationData } from './read-validation-data.ts';
import { digestAround, contentsIn } from './signed-range.ts';
import { notRead, type Answer, type Archive, type Rule, type State } from './verdict.ts';

const noArchive = { skipped: 'the file ends with its seal and has no archive data' } as const;

/**
 * Checks that each document time stamp covers the whole file before it and its own revision. It
 * must not be earlier than the previous one or the seal.
 */
export const checkDocumentTimestamp: Rule = (state) => {
  const { archives, hole } = state;
  if (!hole) return notRead;
  if (archives.length === 0) return noArchive;
  let before = state.sealedAt;
  for (const archive of archives) {
    if (!before && !state.isUnstamped) return notRead;
    const answer = judgeStamp(state, archive, before);
    if (answer !== 'ok') return answer;
    before = archive.stampedAt;
  }
  return 'ok';
};

function judgeStamp(state: State, archive: Archive, before: Date | null): Answer {
  const { pdf } = state;
  const contents = contentsIn(pdf, archive.hole);
  if (!contents) return { fault: 'hidden_bytes' };
  const judged = judgeToken(contents, digestAround(pdf, archive.hole, archive.endsAt));
  if ('fault' in judged) {
    return { fault: judged.fault === 'timestamp' ? 'document_timestamp' : judged.fault };
  }
  // A stamp over the whole file also proves the time of a seal without its own (EN 319 142-1 §6.3,
  // B-T).
  if (!before) state.sealedAt = judged.at;
  else if (judged.at < before) return { fault: 'document_timestamp' };
  archive.token = judged.token;
  archive.stampedAt = judged.at;
  return 'ok';
}

/**
 * Whether each time stamp was still in force when the next one was made. CRLs need not list expired
 * certificates (RFC 5280 §5), so they do not clear a key after its end.
 */
export function isStampedInTime({ token, archives }: State): boolean {
  const tokens = [token, ...archives.map((archive) => archive.token)];
  return archives.every(({ stampedAt }, index) => {
    const certificates = tokens[index]?.certificates ?? [];
    return !stampedAt || certificates.every(({ validToDate }) => stampedAt < validToDate);
  });
}

/**
 * Checks the validation data of each archive. It has the certificates of the covered signatures and
 * of its own time stamp. It also has a CRL of each CA above them. That CRL was in force at the time
 * stamp, was issued after the certificates it clears, and lists none of them.
 */
export const checkRevocation: Rule = (state) => {
  const { archives, hole, root, pdf } = state;
  if (archives.length === 0) return hole ? noArchive : notRead;
  if (!root) return notRead;
  const before: { certificates: Uint8Array[]; crls: Uint8Array[] } = { certificates: [], crls: [] };
  for (const [index, archive] of archives.entries()) {
    const data = readValidationData(pdf, archive);
    if (!data) return { fault: 'validation_data' };
    const answer = judgeData({ data, before, state, index });
    if (answer !== 'ok') return answer;
    before.certificates.push(...data.certificates);
    before.crls.push(...data.crls);
  }
  return 'ok';
};

/** Checks that only these data and time stamps were added after the seal, byte for byte. */
export const checkRevisions: Rule = async (state) => {
  const { archives, pdf } = state;
  if (archives.length === 0) return state.hole ? noArchive : notRead;
  for (const [index, archive] of archives.entries()) {
    const data = readValidationData(pdf, archive);
    if (!data) return { fault: 'revision' };
    // Each revision is parsed together with the earlier ones, which are verified by then.
    const read = index === 0 ? state.document : null;
    if (!(await isAsWritten(pdf, archive, data, read))) return { fault: 'revision' };
  }
  return 'ok';
};

async function isAsWritten(
  pdf: Buffer,
  { from, endsAt, hole: { start, end } }: Archive,
  data: ValidationData,
  read: PDFDocument | null,
): Promise<boolean> {
  const before = pdf.subarray(0, from);
  const document = read ?? (await PDFDocument.load(before, asItIs));
  const written = writeArchive(before, document, { data, bytesMax: (end - start - 2) / 2 });
  const range = written.indexOf('/ByteRange [', from, 'latin1');
  const rangeEnd = written.indexOf(']', range, 'latin1');
  // The time stamp itself was judged already.
  pdf.copy(written, range, range, rangeEnd);
  pdf.copy(written, start, start, end);
  return written.equals(pdf.subarray(0, endsAt));
}
