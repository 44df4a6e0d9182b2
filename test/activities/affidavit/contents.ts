import { rendererId } from '../../../activities/pdf/renderer-id.ts';
import type { AffidavitContent } from '../../../domain/affidavit/content.ts';
import { explainProof } from '../../../domain/affidavit/words/proof-results.ts';
import { affidavitTitle, wordsOf } from '../../../domain/affidavit/words/words.ts';
import { emptySubject, subjectNamed, tinyPhoto } from './subjects.ts';

const baseUrl = 'http://127.0.0.1:8080';
const affidavitId = 'aff_00000000000000000000000001';
const linkSessionId = 'tc_00000000000000000000000001';
const sha256 = (byte: string): string => byte.repeat(32);

const checksOf = (names: string, result = 'ok') =>
  names.split(' ').map((name) => ({ name, result }));

export const phoneProof: AffidavitContent['proofs'][0] = {
  type: 'phone',
  method: 'sms',
  status: 'passed',
  reason_code: null,
  judgement: 'passed',
  explanation: [],
  attempts: 1,
  provider: 'sms',
  judged_at: '2026-11-21T05:59:58.000Z',
  evidence_sha256: sha256('ab'),
  evidence_form: 'trustcheck-evidence/1',
  checks: [],
  facts: {},
};

/** The least an affidavit says: one proof, no device, nothing consented to. */
export const lightContent: AffidavitContent = {
  schema: 'trustcheck-affidavit/1',
  renderer: rendererId,
  affidavit_id: affidavitId,
  title: affidavitTitle,
  verify_url: `${baseUrl}/verify/${affidavitId}`,
  issued_at: '2026-11-21T06:00:00.000Z',
  livemode: true,
  development: false,
  ...wordsOf({
    baseUrl,
    affidavitId,
    linkSessionId,
    outcome: 'passed',
    proofs: [phoneProof],
    hasConsent: true,
    isDevelopment: false,
  }),
  subject: { ...emptySubject, absent_claims: { full_name: 'not_requested' } },
  verified_claims_token: null,
  operator: {
    legal_name: 'Example Operator Ltd',
    address: '1 Example Street, Example City',
    contact: 'contact@operator.example.test',
  },
  requester: {
    account_id: 1,
    account_name: 'Example account',
    app_id: 'example-app',
    app_name: 'Example app',
    link_uuid: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
    link_type: 'trust_check',
    purpose: null,
    reference_id: null,
  },
  consent: { tos_version: '1', claims: [], at: '2026-11-21T05:58:30.000Z' },
  session: {
    link_session_id: linkSessionId,
    workflow_id: `trust-check/${linkSessionId}`,
    client: 'web',
  },
  decision: {
    outcome: 'passed',
    reason_code: null,
    explanation: [],
    decided_at: '2026-11-21T05:59:59.000Z',
    reviewed: false,
    reviewer: null,
    level: 'low',
    rule: null,
  },
  matching: {},
  proofs: [phoneProof],
  device: null,
  timeline: [
    { at: '2026-11-21T05:58:00.000Z', event: 'trust_check.created', state: 'created' },
    { at: '2026-11-21T05:59:58.000Z', event: 'proof.updated', state: 'phone: passed' },
    { at: '2026-11-21T05:59:59.000Z', event: 'trust_check.passed', state: 'passed' },
  ],
  policy: { framework: 'urn:trustcheck:policy:default', version: '1', rules: {} },
  keys: {
    seal_sha256: sha256('01'),
    tsa_sha256: sha256('02'),
    root_sha256: sha256('03'),
    subject_kid: null,
  },
  log: {
    origin: '127.0.0.1:8080/log',
    key: '127.0.0.1:8080/log+00000000+AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAh',
  },
};

const passportProof: AffidavitContent['proofs'][0] = {
  type: 'nfc_passport',
  method: 'vcrypt',
  status: 'passed',
  reason_code: null,
  judgement: 'passed',
  explanation: [],
  attempts: 2,
  provider: 'nfc',
  judged_at: '2026-11-21T05:59:40.000Z',
  evidence_sha256: sha256('cd'),
  evidence_form: 'trustcheck-evidence/1',
  checks: [
    ...checksOf('parse sod_signature dsc_chain csca_trusted dsc_dates'),
    ...checksOf('revocation', 'skipped'),
    ...checksOf('dg_hashes mrz expiry active_auth'),
    ...checksOf('chip_auth', 'skipped'),
  ],
  facts: {
    levels_passive: 'ok',
    levels_active: 'ok',
    levels_chip: 'absent',
    digest_algorithm: 'SHA-256',
    signature_algorithm: 'ecdsa-with-SHA256',
  },
};

const deviceProof: AffidavitContent['proofs'][0] = {
  type: 'device',
  method: 'hwk',
  status: 'passed',
  reason_code: null,
  judgement: 'passed',
  explanation: [],
  attempts: 1,
  provider: 'app_attest',
  judged_at: '2026-11-21T05:59:10.000Z',
  evidence_sha256: sha256('ef'),
  evidence_form: 'trustcheck-evidence/1',
  checks: checksOf(
    'parse chain dates nonce key_id app_id counter environment credential_id public_key receipt',
  ),
  facts: {},
};

const faceFacts = {
  similarity: '0.312',
  similarity_min: '0.5',
  similarity_review_min: '0.4',
  liveness_score: '0.81',
  liveness_min: '0.25',
  frames_used: '11',
};
/** A face that was compared and is another person's. */
export const faceProof: AffidavitContent['proofs'][0] = {
  ...passportProof,
  type: 'biometric',
  method: 'bvr',
  status: 'failed',
  reason_code: 'face_mismatch',
  judgement: 'rejected',
  provider: 'frames',
  checks: [
    ...checksOf('image one_face quality'),
    ...checksOf('match', 'failed'),
    ...checksOf('liveness'),
  ],
  facts: faceFacts,
};

const denseProofs = [deviceProof, passportProof, phoneProof].map((proof) => ({
  ...proof,
  explanation: explainProof(proof),
}));

/** Three proofs, a person's claims, a device, two pages of timeline. */
export const denseContent: AffidavitContent = {
  ...lightContent,
  ...wordsOf({
    baseUrl,
    affidavitId,
    linkSessionId,
    outcome: 'failed',
    proofs: denseProofs,
    hasConsent: true,
    isDevelopment: false,
  }),
  subject: {
    poly_user_id: 'pu_00000000000000000000000001',
    claims: {
      full_name: 'ERIKSSON ANNA MARIA',
      age_over_18: 'true',
      document_type: 'P',
      issuing_country: 'UTO',
      phone_number: '+4915112345678',
    },
    photo: tinyPhoto,
    absent_claims: {},
  },
  verified_claims_token: `${'eyJh'.repeat(20)}.${'eyJp'.repeat(200)}.${'c2ln'.repeat(21)}`,
  requester: {
    ...lightContent.requester,
    purpose: 'Opening of an account, signature of the contract of 21 November 2026',
    reference_id: 'contract-2026-000815',
  },
  consent: {
    tos_version: '2026-03',
    claims: ['full_name', 'age_over_18', 'document_type', 'issuing_country', 'phone_number'],
    at: '2026-11-21T05:58:30.000Z',
  },
  session: { ...lightContent.session, client: 'mobile' },
  decision: {
    ...lightContent.decision,
    outcome: 'failed',
    reason_code: 'mismatch',
    explanation: ['The claims do not match the claims that the requester expected.'],
    reviewed: true,
    reviewer: 'tk_live_0123456789ab',
    level: 'substantial',
    rule: 'names_differ',
  },
  matching: { full_name: 'match', phone_number: 'mismatch', email: 'not_checked' },
  proofs: denseProofs,
  device: {
    device_id: 'dev_00000000000000000000000001',
    platform: 'ios',
    attestation: 'app_attest',
    verdict: 'passed',
    attested_key_sha256: sha256('17'),
    enrolled_at: '2026-11-20T10:00:00.000Z',
    revoked_at: null,
    facts: { environment: 'production', os_version: '26.1', receipt_risk_metric: '1' },
  },
  timeline: Array.from({ length: 60 }, (_, index) => ({
    at: new Date(Date.UTC(2026, 10, 21, 5, 58, index)).toISOString(),
    event: index % 2 === 0 ? 'proof.updated' : 'trust_check.requires_retry',
    state: index % 2 === 0 ? 'phone: requires_retry' : 'requires_retry',
  })),
  policy: {
    framework: 'urn:trustcheck:policy:default',
    version: '1',
    rules: { allowed_countries: 'UTO, DEU', review_on_unsure: 'true' },
  },
  keys: { ...lightContent.keys, subject_kid: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' },
};

/** Texts that strangers may choose, each trying to break a line, a page, a reader or the verifier. */
export const hostileTexts: Readonly<Record<string, string>> = {
  'control characters': 'a\u0000b\u0007c\u001b[31md\u007f',
  'line breaks': 'first\r\nsecond\u2028third\u2029fourth\u0085fifth\tsixth',
  'bidirectional overrides': 'PASSED\u202e DELIAF\u202c \u2066isolate\u2069 \u200fmark',
  'lone surrogates': 'high \ud800 low \udc00 reversed \udc00\ud800',
  'invisible characters': 'A\u200b\u034f\u00ad\ufe0f\u3164\u{e0041}B',
  'a name of 100 kB': 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3000),
  '100 kB without a glyph': '李'.repeat(33_000),
  '100 kB of blanks': ' '.repeat(100_000),
  'stacked marks': `Z${'\u0336\u0301\u0489'.repeat(300)}algo`,
  'PDF syntax': ') Tj ET Q endstream endobj /ByteRange [0 0 0 0] <</JS (x)>> %%EOF',
  markup: '<script>alert(1)</script>&amp;"]]>',
  Arabic: 'محمد بن عبد الله 123 (الثاني)',
  Hebrew: 'שלום עליכם',
  'Cyrillic and Greek': 'Анна Ёлкина Ελένη',
  Vietnamese: 'Nguyễn Thị Đặng',
  CJK: '李小龍 山田太郎 김철수',
  Indic: 'अमित தமிழ்',
  emoji: '👩‍👩‍👧 😀',
  'code points beyond Unicode’s use': '\u{10ffff}\ufffe\ufdd0\ue000',
};

/** A content with one text wherever a stranger's text may stand. */
export function contentWith(text: string): AffidavitContent {
  const table = { [text]: text, full_name: text };
  return {
    ...denseContent,
    subject: subjectNamed(text, table),
    operator: { legal_name: text, address: text, contact: text },
    requester: {
      ...denseContent.requester,
      account_name: text,
      app_id: text,
      app_name: text,
      purpose: text,
      reference_id: text,
    },
    consent: { tos_version: text, claims: [text, text], at: '2026-11-21T05:58:30.000Z' },
    matching: { ...table, email: 'not_checked' },
    timeline: denseContent.timeline.slice(0, 3),
    proofs: denseContent.proofs.map((proof) => ({
      ...proof,
      provider: text,
      explanation: [text],
      checks: [{ name: text, result: text }],
      facts: table,
    })),
    policy: { framework: text, version: text, rules: table },
  };
}
