import canonicalize from 'canonicalize';
import { z } from 'zod';
import { captures, captureSignals } from '../names.ts';
import { photoBytesMax, photoSides } from '../proofs/face/photo-bounds.ts';

/** The version of this schema; a different schema gets a different name. */
export const contentSchema = 'trustcheck-affidavit/1';

/**
 * Limits of the lists in an affidavit. The code that gathers the content respects them; they bound
 * how much a verifier has to lay out.
 */
export const listMax = { claims: 40, proofs: 12, checks: 60, facts: 40, timeline: 200, words: 24 };

const code = text(200);
const line = text(1000);
const prose = text(4000);
const instant = z.iso.datetime();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const hasAtMost = (rowsMax: number) => (rows: object) => Object.keys(rows).length <= rowsMax;
const table = (rowsMax: number) => z.record(code, line).refine(hasAtMost(rowsMax));

/** How the program judges an attempt at a proof. */
export const judgements = ['passed', 'rejected', 'unsure'] as const;

/** Why a claim is not shown. */
const absenceReasons = ['not_requested', 'not_consented', 'not_established'] as const;

const proof = z.object({
  type: code,
  /**
   * How it was checked: `vcrypt`, `bvr`, `vri` (OpenID Identity Assurance), `sms`, `hwk` (RFC
   * 8176); null if the person requested a review instead.
   */
  method: code.nullable(),
  status: code,
  reason_code: code.nullable(),
  /** Judgment of the last attempt; null without one. A reviewer may decide otherwise. */
  judgement: z.enum(judgements).nullable(),
  /** Sentences with the reason and the meaning of the facts. */
  explanation: z.array(prose).max(listMax.words),
  attempts: z.int().min(0).max(1000),
  provider: code.nullable(),
  /** The client that captured it (`captures`); null without an attempt. */
  capture: z.enum(captures).nullable(),
  /**
   * Signals that the page reported about browser and camera at the last attempt; absent if none.
   */
  capture_signals: z.array(z.enum(captureSignals)).max(captureSignals.length).optional(),
  /** When the decisive attempt was judged. */
  judged_at: instant.nullable(),
  evidence_sha256: sha256.nullable(),
  /** The format of evidence file, which defines how this hash is computed. */
  evidence_form: code.nullable(),
  checks: z.array(z.object({ name: code, result: code })).max(listMax.checks),
  /** Further results, except personal data. */
  facts: table(listMax.facts),
});

/**
 * The content of an affidavit: the pages show it, the attachment contains it (RFC 8785). Any text
 * is accepted: ill-formed UTF-16 is repaired, and a text that is too long is visibly cut.
 */
export const affidavitContent = z.object({
  schema: z.literal(contentSchema),
  /** The renderer that laid the pages out; see `rendererId`. */
  renderer: z.string().regex(/^[\x20-\x7e]{1,200}$/),
  affidavit_id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  title: code,
  verify_url: text(300),
  issued_at: instant,
  livemode: z.boolean(),
  /**
   * Whether evidence leads to a simulator's roots, or the judging service accepts such evidence.
   */
  development: z.boolean(),
  /** Plain sentences: what is asserted and what is not. */
  statement: z.array(prose).max(listMax.words),
  subject: z.object({
    poly_user_id: code.nullable(),
    /** Only claims that were established, requested and consented to. */
    claims: table(listMax.claims),
    /** The portrait from the chip, if it was requested and consented to. */
    photo: z
      .object({
        width: z.int().min(1).max(photoSides.width),
        height: z.int().min(1).max(photoSides.height),
        /** JPEG in sRGB, base64. */
        jpeg: z.base64().max(Math.ceil(photoBytesMax / 3) * 4),
      })
      .nullable(),
    /** For each other claim that a link can request: why it is not shown. */
    absent_claims: z.record(code, z.enum(absenceReasons)).refine(hasAtMost(listMax.claims)),
  }),
  /**
   * The same for other programs: the platform's `affidavit-claims+jwt`, an object of OpenID
   * Identity Assurance; null if there is no proven claim to release.
   */
  verified_claims_token: z
    .string()
    .max(16_384)
    .regex(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    .nullable(),
  /** The operator of the service; null only in development. */
  operator: z.object({ legal_name: line, address: line, contact: line }).nullable(),
  /** The requester wrote the names, the purpose and the reference. */
  requester: z.object({
    account_id: z.int(),
    account_name: line,
    app_id: code,
    app_name: line,
    link_uuid: code,
    link_type: code,
    purpose: line.nullable(),
    reference_id: line.nullable(),
  }),
  consent: z
    .object({ tos_version: code, claims: z.array(code).max(listMax.claims), at: instant })
    .nullable(),
  session: z.object({ link_session_id: code, workflow_id: code, client: code }),
  decision: z.object({
    outcome: z.string().regex(/^[a-z_]{1,40}$/),
    reason_code: code.nullable(),
    /** Sentences: why the check did not pass, and which proof caused it. */
    explanation: z.array(prose).max(listMax.words),
    decided_at: instant,
    /** Whether a person decided, because the rules could not. */
    reviewed: z.boolean(),
    /** The id of the reviewer: a person or an API key. */
    reviewer: code.nullable(),
    /** The assurance level of the proofs, and the rule that decided. */
    level: code.nullable(),
    rule: code.nullable(),
  }),
  /** The requester's expectations compared with the claims: name of the claim → result. */
  matching: table(listMax.claims),
  proofs: z.array(proof).max(listMax.proofs),
  device: z
    .object({
      device_id: code,
      platform: code,
      attestation: code,
      verdict: code,
      /** SHA-256 of the attested public key (SubjectPublicKeyInfo). */
      attested_key_sha256: sha256,
      enrolled_at: instant,
      revoked_at: instant.nullable(),
      facts: table(listMax.facts),
    })
    .nullable(),
  timeline: z.array(z.object({ at: instant, event: code, state: code })).max(listMax.timeline),
  policy: z.object({ framework: code, version: code, rules: table(listMax.facts) }),
  keys: z.object({
    seal_sha256: sha256,
    tsa_sha256: sha256,
    root_sha256: sha256,
    /** RFC 7638 thumbprint of the subject's own key, if any. */
    subject_kid: code.nullable(),
  }),
  /** The public log with the affidavit's entry, and its key as a C2SP `name+id+key`. */
  log: z.object({ origin: text(300), key: text(400) }),
  how_to_verify: z.array(z.object({ text: prose, command: prose.nullable() })).max(listMax.words),
  limitations: z.array(prose).max(listMax.words),
});

export type AffidavitContent = z.output<typeof affidavitContent>;

/**
 * Returns the content as canonical JSON (RFC 8785): the attachment, byte for byte.
 * @throws `ZodError` for invalid content
 */
export function canonicalJson(content: AffidavitContent): string {
  const json = canonicalize(affidavitContent.parse(content));
  if (json === undefined) throw new Error('the content has no canonical form');
  return json;
}

function text(unitsMax: number) {
  return z.string().overwrite((value) => cut(value.toWellFormed(), unitsMax));
}

/** Cuts a text that is too long and appends by how much. Idempotent. */
function cut(value: string, unitsMax: number): string {
  if (value.length <= unitsMax) return value;
  const kept = value.slice(0, unitsMax - 24).replace(/[\ud800-\udbff]$/, '');
  return `${kept}… [${value.length - kept.length} more]`;
}
