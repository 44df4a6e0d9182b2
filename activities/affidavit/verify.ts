import { createHash, type X509Certificate } from 'node:crypto';
import { PDFDocument } from 'pdf-lib';
import { isForStampsAlone } from '../certificates/is-for-stamps.ts';
import { purposes } from '../certificates/profile.ts';
import type { Check } from '../evidence/verdict.ts';
import { oids } from './cms.ts';
import { canonicalJson, contentForms, contentSchema, type KnownContent } from './content.ts';
import { goodPathsOf } from './paths.ts';
import { readCms, readOctets, readTimestampInfo, unsignedTypes, type ReadCms } from './read-cms.ts';
import type { VerifyReason } from './reasons.ts';
import { attachmentName, renderAffidavit } from './render.ts';
import { rendererId } from './renderer-id.ts';
import { sealBytesMax, unsealed } from './empty-seal.ts';

export interface AffidavitVerdict {
  readonly result: 'valid' | 'invalid' | 'indeterminate';
  /** The reason code of the first check that failed; null when valid. */
  readonly reason_code: VerifyReason | null;
  readonly checks: readonly Check[];
  readonly facts: {
    readonly affidavit_id?: string;
    readonly outcome?: string;
    readonly livemode?: boolean;
    /** Whether it was made where simulated evidence is taken: it proves nothing of a person. */
    readonly development?: boolean;
    /**
     * The renderer the affidavit names; who has that one can tell whether its pages are its own.
     */
    readonly renderer?: string;
    readonly sealed_at?: string;
    readonly signer?: string;
    readonly root_sha256?: string;
    /** Of the attachment. */
    readonly json_sha256?: string;
    /** By proof, the hash of the evidence it was judged on. */
    readonly evidence?: Readonly<Record<string, string>>;
    readonly sha256: string;
  };
}

const pdfBytesMax = 20 * 1024 * 1024;

interface State {
  pdf: Buffer;
  hole: { start: number; end: number } | null;
  seal: ReadCms | null;
  token: ReadCms | null;
  sealedAt: Date | null;
  /** When the first certificate of the time stamp's chain ends. */
  stampEndsAt: Date | null;
  root: X509Certificate | null;
  renderer: string | null;
  content: KnownContent | null;
}

type Answer =
  | 'ok'
  | { readonly skipped: string }
  | { readonly fault: VerifyReason; readonly isUnknown?: boolean };
/** What it would be held against was not to be had, which a check before it has told. */
const notRead = { skipped: 'not read, since a check before it failed' } as const;
type Rule = (state: State, roots: readonly X509Certificate[], at: Date) => Answer | Promise<Answer>;

/**
 * Verifies an affidavit against pinned roots: form, seal, time stamp, chains, attachment, and that
 * the pages are what the attachment renders to, byte for byte. A root that is not pinned makes an
 * otherwise intact file `indeterminate` (EN 319 102-1 §5.1.3), and so does a form to come. Pages
 * that another renderer made are not compared: the seal alone vouches for them. Hostile files get a
 * verdict, and in time: only what is sealed under a pinned root comes before the parser of PDF,
 * which others can keep busy for hours.
 */
export async function verifyAffidavit(
  file: Uint8Array,
  roots: readonly X509Certificate[],
  at: Date,
): Promise<AffidavitVerdict> {
  const state: State = {
    pdf: Buffer.from(file),
    hole: null,
    seal: null,
    token: null,
    sealedAt: null,
    stampEndsAt: null,
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

/** One byte range `[0 b c d]` over the whole file but a hole of hexadecimal digits. */
const checkForm: Rule = (state) => {
  const { pdf } = state;
  if (pdf.length > pdfBytesMax || pdf.subarray(0, 5).toString('latin1') !== '%PDF-') {
    return { fault: 'not_an_affidavit' };
  }
  const text = pdf.toString('latin1');
  // Two are as many as are looked for: a file can hold millions.
  const [range, another] = text.matchAll(/\/ByteRange\s{0,9}\[([^\]]{0,99})\]/g);
  const numbers = (range?.[1] ?? '').trim().split(/\s+/).map(Number);
  const [zero, start = 0, end = 0, rest = 0] = numbers;
  if (!range || another || numbers.length !== 4 || zero !== 0) return { fault: 'byte_range' };
  if (end - start !== sealBytesMax * 2 + 2 || end + rest !== pdf.length) {
    return { fault: 'byte_range' };
  }
  if (!/^<[0-9a-f]+>$/.test(text.slice(start, end))) return { fault: 'byte_range' };
  state.hole = { start, end };
  return 'ok';
};

/** The seal is a CMS in the hole, its padding all zeros, signed by the certificate it names. */
const checkSignature: Rule = (state) => {
  const { pdf, hole } = state;
  if (!hole) return notRead;
  const held = Buffer.from(pdf.subarray(hole.start + 1, hole.end - 1).toString('latin1'), 'hex');
  const length = 4 + held.readUInt16BE(2);
  if (held[0] !== 0x30 || held[1] !== 0x82) return { fault: 'malformed' };
  if (held.subarray(length).some((byte) => byte !== 0)) return { fault: 'hidden_bytes' };
  const seal = readCms(held.subarray(0, length));
  state.seal = seal;
  if (seal.contentType !== oids.data || seal.content) return { fault: 'malformed' };
  if (!seal.isInForm || !holdsOnly(seal, unsignedTypes.seal)) return { fault: 'hidden_bytes' };
  const covered = createHash('sha256')
    .update(pdf.subarray(0, hole.start))
    .update(pdf.subarray(hole.end))
    .digest();
  const digest = readOctets(seal.attributes.get(oids.messageDigest));
  if (!digest.equals(covered)) return { fault: 'content_changed' };
  return seal.isSigned ? 'ok' : { fault: 'seal_signature' };
};

/** No unsigned attribute is there but these; whether they are is for their own rules to tell. */
const holdsOnly = ({ unsigned }: ReadCms, types: readonly string[]): boolean =>
  [...unsigned.keys()].every((type) => types.includes(type));

/** The time stamp is over this very signature, by a certificate for time stamps alone. */
const checkTimestamp: Rule = (state) => {
  if (!state.seal) return notRead;
  const bytes = state.seal.unsigned.get(oids.timeStampToken);
  if (!bytes) return { fault: 'timestamp_missing' };
  const token = readCms(bytes);
  if (token.contentType !== oids.tstInfo || !token.content) return { fault: 'timestamp' };
  if (!token.isInForm || !holdsOnly(token, unsignedTypes.timestamp)) {
    return { fault: 'hidden_bytes' };
  }
  const digest = createHash('sha256').update(token.content).digest();
  if (!readOctets(token.attributes.get(oids.messageDigest)).equals(digest)) {
    return { fault: 'timestamp' };
  }
  const info = readTimestampInfo(token.content);
  const imprint = createHash('sha256').update(state.seal.signature).digest();
  if (!token.isSigned || !info.imprint.equals(imprint) || !isForStampsAlone(token.signer)) {
    return { fault: 'timestamp' };
  }
  state.token = token;
  state.sealedAt = info.at;
  return 'ok';
};

/**
 * Seal and time stamp lead to one pinned root, each over CAs that certify for its purpose, and
 * every certificate was in force at the time stamp.
 */
const checkChains: Rule = (state, roots, at) => {
  const { seal, token, sealedAt } = state;
  if (!seal || !token || !sealedAt) return notRead;
  if (sealedAt > at) return { fault: 'timestamp_in_future', isUnknown: true };
  const ofSeal = goodPathsOf(seal, roots, { purpose: purposes.documentSigning, at: sealedAt });
  const ofStamp = goodPathsOf(token, roots, { purpose: purposes.timeStamping, at: sealedAt });
  if ('fault' in ofSeal) return 'fault' in ofStamp && 'isUnknown' in ofSeal ? ofStamp : ofSeal;
  if ('fault' in ofStamp) return ofStamp;
  const common = ofStamp.find(({ root }) => ofSeal.some((one) => one.root.raw.equals(root.raw)));
  if (!common) return { fault: 'chain' };
  state.root = common.root;
  state.stampEndsAt = common.endsAt;
  return 'ok';
};

/**
 * A time stamp proves nothing once its chain is out of force: keys may be known by then, and only a
 * later stamp would tell that this one was there before (EN 319 102-1 §5.6.2).
 */
const checkInForce: Rule = ({ stampEndsAt }, _roots, at) => {
  if (!stampEndsAt) return { skipped: 'not judged, since a check before it failed' };
  return at < stampEndsAt ? 'ok' : { fault: 'timestamp_expired', isUnknown: true };
};

/** The attachment is there, of a known form, and canonical. */
const checkAttachment: Rule = async (state) => {
  const options = { updateMetadata: false, throwOnInvalidObject: true };
  const document = await PDFDocument.load(state.pdf, options);
  const attached = document.getAttachments().find(({ name }) => name === attachmentName);
  if (!attached) return { fault: 'attachment_missing' };
  const text = Buffer.from(attached.data).toString('utf8');
  const json: unknown = JSON.parse(text);
  state.renderer = rendererOf(json);
  if (state.renderer === null) return { fault: 'attachment' };
  const form = contentForms.get(Object(json).schema);
  if (!form) return { fault: 'renderer_unknown', isUnknown: true };
  const parsed = form.safeParse(json);
  if (!parsed.success || canonicalJson(parsed.data) !== text) return { fault: 'attachment' };
  state.content = parsed.data;
  return 'ok';
};

/** Who laid the pages out: the first form did not say, so its schema stands for it. */
function rendererOf(json: unknown): string | null {
  if (typeof json !== 'object' || json === null) return null;
  const { renderer, schema } = { renderer: null, schema: null, ...json };
  if (typeof schema !== 'string' || !/^trustcheck-affidavit\/\d{1,4}$/.test(schema)) return null;
  const name = renderer ?? schema;
  return typeof name === 'string' && /^[\x20-\x7e]{1,200}$/.test(name) ? name : null;
}

/**
 * Rendered again, the attachment gives this file: nothing was painted over, left out or added. Of
 * pages that another renderer made, and that this one lays out otherwise, it cannot be told.
 */
const checkPages: Rule = async ({ content, pdf }) => {
  if (!content) return { fault: 'pages_differ' };
  const isOfThisForm = content.schema === contentSchema;
  if (isOfThisForm && unsealed(pdf).equals(await renderAffidavit(content))) return 'ok';
  return content.renderer === rendererId
    ? { fault: 'pages_differ' }
    : { skipped: `made by another version: ${content.renderer}` };
};

const parsingRules: ReadonlySet<Rule> = new Set([checkAttachment, checkPages]);

const rules: readonly (readonly [string, Rule])[] = [
  ['form', checkForm],
  ['signature', checkSignature],
  ['timestamp', checkTimestamp],
  ['chains', checkChains],
  ['attachment', checkAttachment],
  ['pages', checkPages],
  ['in_force', checkInForce],
];

function factsOf(state: State): AffidavitVerdict['facts'] {
  const { content, renderer, sealedAt, seal, root } = state;
  return {
    sha256: createHash('sha256').update(state.pdf).digest('hex'),
    ...(content
      ? {
          affidavit_id: content.affidavit_id,
          outcome: content.decision.outcome,
          livemode: content.livemode,
          ...('development' in content ? { development: content.development } : {}),
          json_sha256: createHash('sha256').update(canonicalJson(content)).digest('hex'),
          evidence: Object.fromEntries(
            content.proofs.flatMap(({ type, evidence_sha256: hash }) =>
              hash ? [[type, hash]] : [],
            ),
          ),
        }
      : {}),
    ...(renderer ? { renderer } : {}),
    ...(sealedAt ? { sealed_at: sealedAt.toISOString() } : {}),
    ...(seal ? { signer: seal.signer.subject } : {}),
    ...(root ? { root_sha256: createHash('sha256').update(root.raw).digest('hex') } : {}),
  };
}
