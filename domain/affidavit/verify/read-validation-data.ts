import type { X509Certificate } from 'node:crypto';
import { unique, type ValidationData } from '../../pdf/signature/archive.ts';
import { defectOf, entryOf, readCrl, revokes, type Crl } from '../../pki/revocation/crl.ts';
import { readCertificate, type Certificate } from '../../pki/x509/certificate.ts';
import { isCertifiedBy } from '../../pki/x509/is-certified-by.ts';
import type { Answer, Archive, State } from './verdict.ts';
import { doesSpoil } from './verify-standing.ts';

/** Certificates and lists in the validation data of one archive; ours have three and two. */
const streamsMax = 32;
/** Enough for the dictionary that names those of all archives. */
const headBytesMax = 16 * 1024;

/**
 * Reads the streams that an archive adds, up to the dictionary that says which of them are
 * certificates; null if it does not. `checkRevisions` checks that everything is in its place.
 */
export function readValidationData(pdf: Buffer, { from, hole }: Archive): ValidationData | null {
  const streams = new Map<string, Buffer>();
  let at = from + 1;
  for (;;) {
    const head = pdf.subarray(at, at + headBytesMax).toString('latin1');
    const found = /^(\d{1,7} 0) obj\n<< \/Length (\d{1,7}) >>\nstream\n/.exec(head);
    if (!found) return divided(head, streams);
    const [opening, ref = '', length] = found;
    const start = at + opening.length;
    const end = start + Number(length);
    if (streams.size >= streamsMax || end > hole.start) return null;
    streams.set(`${ref} R`, pdf.subarray(start, end));
    at = end + '\nendstream\nendobj\n'.length;
  }
}

function divided(head: string, streams: ReadonlyMap<string, Buffer>): ValidationData | null {
  const dss = /^\d{1,7} 0 obj\n<< \/Certs \[([\d R]*)\] \/CRLs \[([\d R]*)\] >>\nendobj\n/;
  const found = dss.exec(head);
  if (!found) return null;
  const [certificates, crls] = found.slice(1).map((refs) => {
    const named = refs.match(/\d+ 0 R/g) ?? [];
    return named.flatMap((ref) => streams.get(ref) ?? []);
  });
  if (!certificates || !crls || certificates.length + crls.length !== streams.size) return null;
  return { certificates, crls };
}

interface Judged {
  /** The data that the archive adds. */
  readonly data: ValidationData;
  /** The data that earlier archives added. */
  readonly before: ValidationData;
  readonly state: State;
  /** Index of the archive. */
  readonly index: number;
}

/**
 * Judges the validation data of an archive. The first archive covers the seal and its time stamp; a
 * later one covers only the last earlier time stamp, which covers the others. All are judged at the
 * archive's time stamp, with CRLs in force then (EN 319 142-1 §5.5).
 */
export function judgeData({ data, before, state, index }: Judged): Answer {
  const { seal, token, archives, root, stampRoot } = state;
  const archive = archives[index];
  const earlier = archives[index - 1];
  if (!archive?.token || !archive.stampedAt || !archive.root) return { fault: 'validation_data' };
  const judged = earlier ? [earlier.token] : [seal, token];
  const certificates = unique(
    [...judged, archive.token].flatMap((cms) => cms?.certificates ?? []).map(({ raw }) => raw),
  );
  if (!areNew(certificates, data, before)) return { fault: 'validation_data' };
  const roots = [root, stampRoot, earlier?.root, archive.root].filter((one) => one !== null);
  return judgeLists({
    certificates,
    own: archive.token.certificates,
    roots: roots.filter((one) => one !== undefined),
    lists: { data: data.crls, before: before.crls },
    at: archive.stampedAt,
    stampedAt: earlier?.stampedAt ?? null,
  });
}

/** Whether the archive adds exactly the missing certificates in order, and repeats no list. */
function areNew(
  certificates: readonly Uint8Array[],
  data: ValidationData,
  before: ValidationData,
): boolean {
  const isIn = (all: readonly Uint8Array[], one: Uint8Array): boolean =>
    all.some((other) => Buffer.compare(one, other) === 0);
  const missing = certificates.filter((one) => !isIn(before.certificates, one));
  return (
    missing.length === data.certificates.length &&
    missing.every((one, index) => isIn(data.certificates.slice(index, index + 1), one)) &&
    !data.crls.some((one) => isIn(before.crls, one))
  );
}

interface ListsJudged {
  readonly certificates: readonly Uint8Array[];
  /** Certificates of the archive's own time stamp. */
  readonly own: readonly X509Certificate[];
  readonly roots: readonly X509Certificate[];
  readonly lists: { readonly data: readonly Uint8Array[]; readonly before: readonly Uint8Array[] };
  readonly at: Date;
  /** Time of the previous archive; null for the first. */
  readonly stampedAt: Date | null;
}

function judgeLists({ certificates, own, roots, lists, at, stampedAt }: ListsJudged): Answer {
  const parsed = certificates.map((der) => readCertificate(der));
  const issuers = [...parsed, ...roots.map(({ raw }) => readCertificate(raw))];
  const added = lists.data.map((der) => readCrl(der));
  const known = lists.before.map((der) => readCrl(der));
  const used = new Set<Crl>();
  for (const one of parsed) {
    const issuer = issuers.find(({ x509 }) => isCertifiedBy(one.x509(), x509()));
    const begins = one.x509().validFromDate;
    const isIts = (crl: Crl): boolean => issuer !== undefined && crl.signed(issuer, 'refuse');
    const list =
      added.find(isIts) ?? known.filter(isIts).findLast((crl) => clears(crl, begins, at));
    if (!list || !clears(list, begins, at)) return { fault: 'validation_data' };
    const isOwn = own.some(({ raw }) => raw.equals(one.x509().raw));
    const spoils =
      !stampedAt || isOwn ? revokes(list, one.serial) : isSpoiled(list, one, stampedAt);
    if (spoils) return { fault: 'revoked' };
    used.add(list);
  }
  return added.every((list) => used.has(list)) ? 'ok' : { fault: 'validation_data' };
}

/** A key that was only replaced after it stamped is acceptable; a stolen key can stamp any time. */
function isSpoiled(list: Crl, certificate: Certificate, at: Date): boolean {
  const entry = entryOf(list, certificate.serial);
  return entry !== null && doesSpoil(entry, { certificate, at, isLast: true, shownAt: null });
}

function clears(list: Crl, notBefore: Date, at: Date): boolean {
  const { thisUpdate, nextUpdate } = list;
  const isInForce = nextUpdate !== null && at < nextUpdate;
  return defectOf(list, at) === null && isInForce && notBefore <= thisUpdate;
}
