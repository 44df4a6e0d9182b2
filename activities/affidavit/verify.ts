import { createHash, type X509Certificate } from 'node:crypto';
import { PDFDocument } from 'pdf-lib';
import { z } from 'zod';
import { affidavitContent, canonicalJson, contentSchema } from '../../domain/affidavit/content.ts';
import type { VerifyReason } from '../../domain/affidavit/reasons.ts';
import { checkChains } from '../../domain/affidavit/verify/chains.ts';
import {
  digestAround,
  contentsIn,
  signedRangesOf,
} from '../../domain/affidavit/verify/signed-range.ts';
import {
  factsOf,
  notRead,
  type AffidavitVerdict,
  type Answer,
  type Rule,
  type State,
} from '../../domain/affidavit/verify/verdict.ts';
import {
  checkDocumentTimestamp,
  checkRevisions,
  checkRevocation,
  isStampedInTime,
} from '../../domain/affidavit/verify/verify-archive.ts';
import { checkStanding } from '../../domain/affidavit/verify/verify-standing.ts';
import { asItIs } from '../../domain/pdf/signature/archive.ts';
import { unsealed } from '../../domain/pdf/signature/empty-seal.ts';
import { readCms, readOctets, unsignedTypes } from '../../domain/pki/cms/read-cms.ts';
import { oids } from '../../domain/pki/cms/write-cms.ts';
import { holdsOnly, judgeToken } from '../../domain/pki/timestamps/judge-token.ts';
import type { Check } from '../../domain/proofs/verdict.ts';
import { rendererId } from '../pdf/renderer-id.ts';
import { attachmentName, renderAffidavit } from './render.ts';

const pdfBytesMax = 20 * 1024 * 1024;

/** What a verification can use besides roots. */
export interface Besides {
  /** Current CRLs, DER. Without them, a file that contains no CRLs is at most `indeterminate`. */
  readonly lists?: readonly Uint8Array[];
  /** Roots of outside authorities, trusted only for the time stamp of a seal. */
  readonly tsaRoots?: readonly X509Certificate[];
}

/**
 * Verifies an affidavit against pinned roots: form, seal, time stamp, chains, attachment, and that
 * the pages equal the rendered attachment, byte for byte. An otherwise intact file is
 * `indeterminate` if its root is not pinned (EN 319 102-1 §5.1.3) or its schema is unknown. Pages
 * of another renderer are not compared: only the seal protects them. Hostile files get a verdict in
 * bounded time: a file reaches the PDF parser, which crafted input can occupy for hours, only if it
 * is sealed under a pinned root.
 */
export async function verifyAffidavit(
  file: Uint8Array,
  roots: readonly X509Certificate[],
  at: Date,
  { lists = [], tsaRoots = [] }: Besides = {},
): Promise<AffidavitVerdict> {
  const state: State = {
    pdf: Buffer.from(file),
    lists,
    hole: null,
    seal: null,
    token: null,
    sealedAt: null,
    isUnstamped: false,
    archives: [],
    document: null,
    stampEndsAt: null,
    tsaRoots,
    stampRoot: null,
    root: null,
    renderer: null,
    content: null,
  };
  const checks: Check[] = [];
  let fault: VerifyReason | null = null;
  let unknown: VerifyReason | null = null;
  for (const [name, rule] of rules) {
    if (parsingRules.has(rule) && (fault ?? unknown)) {
      checks.push({ name, result: 'skipped', detail: notRead.skipped });
      continue;
    }
    const answer = await ask(rule, state, roots, at);
    if (answer === 'ok') checks.push({ name, result: 'ok' });
    else if ('remark' in answer) checks.push({ name, result: 'ok', detail: answer.remark });
    else if ('skipped' in answer) {
      checks.push({ name, result: 'skipped', detail: answer.skipped });
    } else {
      checks.push({ name, result: 'failed', detail: answer.fault });
      if (answer.isUnknown) unknown ??= answer.fault;
      else fault ??= answer.fault;
    }
  }
  return {
    result: fault ? 'invalid' : unknown ? 'indeterminate' : 'valid',
    reason_code: fault ?? unknown,
    checks,
    facts: factsOf(state),
  };
}

async function ask(
  rule: Rule,
  state: State,
  roots: readonly X509Certificate[],
  at: Date,
): Promise<Answer> {
  try {
    return await rule(state, roots, at);
  } catch {
    return { fault: 'malformed' };
  }
}

/** The signed byte ranges are those of a seal, followed only by document time stamps. */
const checkForm: Rule = (state) => {
  const { pdf } = state;
  if (pdf.length > pdfBytesMax || pdf.subarray(0, 5).toString('latin1') !== '%PDF-') {
    return { fault: 'not_an_affidavit' };
  }
  const found = rangesIn(pdf);
  if (!found) return { fault: 'byte_range' };
  state.pdf = found.pdf;
  state.hole = found.ranges.hole;
  state.archives = found.ranges.archives;
  return found.remark === null ? 'ok' : { remark: found.remark };
};

/**
 * Returns the signed ranges of a file. An editor or a mail program may add a line end at the end of
 * the file, where an issued file has none. The file is then verified without that line end.
 */
function rangesIn(pdf: Buffer) {
  const ranges = signedRangesOf(pdf);
  if (ranges) return { pdf, ranges, remark: null };
  const lineEnd = /\r?\n$|\r$/.exec(pdf.subarray(-2).toString('latin1'))?.[0];
  if (lineEnd === undefined) return null;
  const issued = pdf.subarray(0, pdf.length - lineEnd.length);
  const found = signedRangesOf(issued);
  const remark = 'the file ends with an added line end, which is ignored';
  return found && { pdf: issued, ranges: found, remark };
}

/** The seal is a CMS in the hole, padded with zeros, signed by the certificate it names. */
const checkSignature: Rule = (state) => {
  const { pdf, hole } = state;
  if (!hole) return notRead;
  const held = contentsIn(pdf, hole);
  if (!held) return { fault: 'hidden_bytes' };
  const seal = readCms(held);
  state.seal = seal;
  if (seal.contentType !== oids.data || seal.content) return { fault: 'malformed' };
  if (!seal.isByOurs) return { fault: 'malformed' };
  if (!seal.isInForm || !holdsOnly(seal, unsignedTypes.seal)) return { fault: 'hidden_bytes' };
  const covered = digestAround(pdf, hole, sealEndsAt(state));
  const digest = readOctets(seal.attributes.get(oids.messageDigest));
  if (!digest.equals(covered)) return { fault: 'content_changed' };
  return seal.isSigned ? 'ok' : { fault: 'seal_signature' };
};

const unstamped = {
  skipped: 'the seal has none (PAdES-B-B): only a time stamp over the whole file proves its time',
} as const;

/** The time stamp covers this signature, and its certificate is for time stamps only. */
const checkTimestamp: Rule = (state) => {
  if (!state.seal) return notRead;
  const bytes = state.seal.unsigned.get(oids.timeStampToken);
  if (!bytes) {
    state.isUnstamped = state.seal.isSigned;
    return state.isUnstamped ? unstamped : notRead;
  }
  const imprint = createHash('sha256').update(state.seal.signature).digest();
  const judged = judgeToken(bytes, imprint);
  if ('fault' in judged) return judged;
  state.token = judged.token;
  state.sealedAt = judged.at;
  return 'ok';
};

/**
 * A time stamp proves nothing after its chain expires: its keys may be compromised by then. Only a
 * later time stamp, made earlier than that, proves that this one existed (EN 319 102-1 §5.6.2).
 */
const checkInForce: Rule = (state, _roots, at) => {
  if (!state.stampEndsAt) return notRead;
  const isProven = at < state.stampEndsAt && isStampedInTime(state);
  return isProven ? 'ok' : { fault: 'timestamp_expired', isUnknown: true };
};

/** Returns the offset where the revision ends that the seal covers. */
const sealEndsAt = ({ archives, pdf }: State): number => archives[0]?.from ?? pdf.length;

/** The attachment is present, has a known schema, and is canonical. */
const checkAttachment: Rule = async (state) => {
  const sealed = state.pdf.subarray(0, sealEndsAt(state));
  const document = await PDFDocument.load(sealed, asItIs);
  state.document = document;
  const attached = document.getAttachments().find(({ name }) => name === attachmentName);
  if (!attached) return { fault: 'attachment_missing' };
  const text = Buffer.from(attached.data).toString('utf8');
  const named = attachmentNames.safeParse(JSON.parse(text));
  if (!named.success) return { fault: 'attachment' };
  state.renderer = named.data.renderer;
  if (named.data.schema !== contentSchema) return { fault: 'renderer_unknown', isUnknown: true };
  const parsed = affidavitContent.safeParse(JSON.parse(text));
  if (!parsed.success || canonicalJson(parsed.data) !== text) return { fault: 'attachment' };
  state.content = parsed.data;
  return 'ok';
};

/** Members of the attachment in every schema, also in unknown ones. */
const attachmentNames = z.object({
  schema: z.string().regex(/^trustcheck-affidavit\/\d{1,4}$/),
  renderer: affidavitContent.shape.renderer,
});

/**
 * Renders the attachment again and compares it with the sealed file byte for byte. A difference in
 * the pages of another renderer proves nothing.
 */
const checkPages: Rule = async ({ content, pdf }) => {
  if (!content) return { fault: 'pages_differ' };
  if (unsealed(pdf).equals(await renderAffidavit(content))) return 'ok';
  return content.renderer === rendererId
    ? { fault: 'pages_differ' }
    : { skipped: `not compared, because another version made them: ${content.renderer}` };
};

const parsingRules: ReadonlySet<Rule> = new Set([
  checkRevocation,
  checkAttachment,
  checkRevisions,
  checkPages,
]);

const rules: readonly (readonly [string, Rule])[] = [
  ['form', checkForm],
  ['signature', checkSignature],
  ['timestamp', checkTimestamp],
  ['document_timestamp', checkDocumentTimestamp],
  ['chains', checkChains],
  ['revocation', checkRevocation],
  ['attachment', checkAttachment],
  ['revisions', checkRevisions],
  ['pages', checkPages],
  ['in_force', checkInForce],
  ['standing', checkStanding],
];
