import { createHash } from 'node:crypto';
import type { AffidavitRow } from '../../db/queries/affidavits.ts';
import { findDevice } from '../../db/queries/devices.ts';
import { listStream, trustCheckStream } from '../../db/queries/events.ts';
import { findPhoto } from '../../db/queries/photos.ts';
import { listReviews } from '../../db/queries/reviews.ts';
import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { openLinkText } from '../../db/sealing/link-texts.ts';
import { contentSchema, listMax, type AffidavitContent } from '../../domain/affidavit/content.ts';
import { policyRowsOf, shownFactsOf } from '../../domain/affidavit/facts.ts';
import { explainDecision } from '../../domain/affidavit/words/explain-decision.ts';
import { affidavitTitle, wordsOf } from '../../domain/affidavit/words/copy.ts';
import { imageHeaderOf } from '../../domain/images/image-header.ts';
import { encodeNoteKey } from '../../domain/transparency/note.ts';
import { policyVersion } from '../../domain/trust-checks/decide.ts';
import { trustCheckWorkflowId } from '../../workflows/trust-check/messages.ts';
import { fingerprintOf, type PlatformKeys } from '../keys/directory/load-keys.ts';
import { rendererId } from '../pdf/renderer-id.ts';
import { affidavitClaimsOf } from '../trust-checks/claims-token.ts';
import { createClaimsOpener } from '../trust-checks/claims.ts';
import { trustFramework } from '../trust-checks/describe-verification.ts';
import { photoPathIn } from '../trust-checks/photo.ts';
import type { AffidavitDeps } from './activities.ts';
import { gatherProofs } from './gather-proofs.ts';
import { subjectClaims } from './shown-claims.ts';

export type GatherDeps = Pick<
  AffidavitDeps,
  'db' | 'sealer' | 'store' | 'keys' | 'baseUrl' | 'platform'
>;

/**
 * Gathers the content of an affidavit from the rows of its session, as of the decision, however
 * late it runs. Personal data leaves the database only in this content.
 */
export async function gatherContent(
  deps: GatherDeps,
  row: AffidavitRow,
): Promise<AffidavitContent> {
  const session = await findTrustCheck(deps.db, row.link_session_id);
  if (!session) throw new Error('the session of an affidavit does not exist');
  const decidedAt = session.decided_at ?? row.created_at;
  const claims = await createClaimsOpener(deps.sealer)(session);
  const device = await gatherDevice(deps, session);
  const { proofs, facts } = await gatherProofs(deps, session);
  const { operator, logKey, hasDevelopmentRoots } = deps.platform;
  const isDevelopment = hasDevelopmentRoots || [device?.facts, ...facts].some(isOfDevelopment);
  const decision = {
    outcome: session.status,
    reason_code: session.reason_code,
    ...ruleOf(session),
    ...(await gatherReview(deps, session)),
  };
  const matching = Object.fromEntries(Object.entries(session.matching).slice(0, listMax.claims));
  return {
    schema: contentSchema,
    renderer: rendererId,
    affidavit_id: row.affidavit_id,
    title: affidavitTitle,
    verify_url: `${deps.baseUrl}/verify/${row.affidavit_id}`,
    issued_at: row.created_at.toISOString(),
    livemode: session.livemode,
    development: isDevelopment,
    ...wordsOf({
      baseUrl: deps.baseUrl,
      affidavitId: row.affidavit_id,
      linkSessionId: session.link_session_id,
      outcome: session.status,
      proofs,
      hasConsent: session.consent?.accepted === true,
      isDevelopment,
    }),
    subject: {
      poly_user_id: session.poly_user_id,
      ...subjectClaims(claims, session, await gatherPhoto(deps, claims.photo)),
    },
    verified_claims_token: await affidavitClaimsOf(deps, session, {
      jti: row.affidavit_id,
      now: row.created_at,
    }),
    operator,
    requester: await requesterOf(deps, session),
    consent: consentOf(session),
    session: {
      link_session_id: session.link_session_id,
      workflow_id: trustCheckWorkflowId(session.link_session_id),
      client: session.client,
    },
    decision: {
      ...decision,
      explanation: explainDecision({ decision, matching, proofs }),
      decided_at: decidedAt.toISOString(),
    },
    matching,
    proofs,
    device: device?.shown ?? null,
    timeline: await gatherTimeline(deps, session),
    policy: policyOf(session),
    keys: { ...keysOf(deps.keys), subject_kid: device?.signingKid ?? null },
    log: { origin: logKey.name, key: encodeNoteKey(logKey) },
  };
}

/** Returns the image at the address of the claim `photo`; null without one. */
async function gatherPhoto(
  { db, store }: GatherDeps,
  address: string | undefined,
): Promise<AffidavitContent['subject']['photo']> {
  const path = address === undefined ? null : photoPathIn(address);
  const found = path === null ? null : await findPhoto(db, path, new Date(0));
  const image = found && (await store.get(found.object_key));
  if (!image) return null;
  const { width, height } = imageHeaderOf(image);
  return { width, height, jpeg: Buffer.from(image).toString('base64') };
}

const ruleOf = ({
  decision,
}: TrustCheckRow): Pick<AffidavitContent['decision'], 'level' | 'rule'> => ({
  level: decision?.level ?? null,
  rule: decision?.rule ?? null,
});

function consentOf({ consent }: TrustCheckRow): AffidavitContent['consent'] {
  if (!consent?.accepted) return null;
  const { tos_version, claims, at } = consent;
  return { tos_version, claims: claims.slice(0, listMax.claims), at };
}

const requesterOf = async (
  { sealer }: GatherDeps,
  { asked, ...session }: TrustCheckRow,
): Promise<AffidavitContent['requester']> => ({
  account_id: session.account_id,
  account_name: asked.account_name,
  app_id: session.app_id,
  app_name: asked.app_name,
  link_uuid: session.link_uuid,
  link_type: asked.link_type,
  purpose: await openLinkText(sealer, session, 'title', session.title_sealed),
  reference_id: await openLinkText(sealer, session, 'reference', session.reference_sealed),
});

const policyOf = ({ asked, decision }: TrustCheckRow): AffidavitContent['policy'] => ({
  framework: trustFramework,
  version: decision?.policy_version ?? policyVersion,
  rules: policyRowsOf({ ...asked.policy }),
});

/** The verdict on a certificate chain sets this for the root of a simulator. */
const isOfDevelopment = (facts: unknown): boolean => Object(facts).development_root === true;

const keysOf = ({ seal, tsa, root }: PlatformKeys) => ({
  seal_sha256: fingerprintOf(seal.certificate),
  tsa_sha256: fingerprintOf(tsa.certificate),
  root_sha256: fingerprintOf(root.certificate),
});

async function gatherDevice(
  deps: GatherDeps,
  session: TrustCheckRow,
): Promise<{ shown: AffidavitContent['device']; signingKid: string; facts: unknown } | null> {
  const row = session.device_id ? await findDevice(deps.db, session.device_id) : null;
  if (!row) return null;
  const { verdict, facts } = readVerdict(row.verdict);
  const { decided_at: end } = session;
  const revokedAt = row.revoked_at && end && row.revoked_at > end ? null : row.revoked_at;
  return {
    signingKid: row.signing_kid,
    facts,
    shown: {
      device_id: row.device_id,
      platform: row.platform,
      attestation: row.platform === 'ios' ? 'app_attest' : 'key_attestation',
      verdict,
      attested_key_sha256: createHash('sha256').update(row.public_key_spki).digest('hex'),
      enrolled_at: row.created_at.toISOString(),
      revoked_at: revokedAt?.toISOString() ?? null,
      facts: shownFactsOf('device', facts),
    },
  };
}

function readVerdict(stored: unknown): { verdict: string; facts: unknown } {
  if (typeof stored !== 'object' || stored === null) return { verdict: 'unknown', facts: null };
  const { verdict, facts } = { verdict: null, facts: null, ...stored };
  return { verdict: typeof verdict === 'string' ? verdict : 'unknown', facts };
}

/**
 * Returns the review that decided the check. A review that gave the check back decided nothing, and
 * a check can end during a review for another reason.
 */
async function gatherReview(
  deps: GatherDeps,
  { link_session_id, log, status, reason_code }: TrustCheckRow,
): Promise<Pick<AffidavitContent['decision'], 'reviewed' | 'reviewer'>> {
  const last = log.findLast(({ move }) => move);
  const isReviewed = status === 'passed' || reason_code === 'review_rejected';
  const reviewed = isReviewed && last?.from === 'in_review';
  const reviews = reviewed ? await listReviews(deps.db, link_session_id) : [];
  const review = reviews.find(({ review_id }) => review_id === last?.review_id);
  return { reviewed, reviewer: review?.reviewer ?? null };
}

async function gatherTimeline(
  deps: GatherDeps,
  session: TrustCheckRow,
): Promise<AffidavitContent['timeline']> {
  const stream = trustCheckStream(session.link_session_id);
  const rows = await listStream(deps.db, [stream, 0, listMax.timeline]);
  const end = rows.findIndex(({ type }) => type === `trust_check.${session.status}`);
  return rows.slice(0, end < 0 ? rows.length : end + 1).map((row) => ({
    at: row.created_at.toISOString(),
    event: row.type,
    state: stateOf(row.data.object),
  }));
}

/** Returns the state of the session, or of the proof that an event is about. */
function stateOf({ status, proof, proof_status }: Record<string, unknown>): string {
  if (typeof proof === 'string') return `${proof}: ${String(proof_status)}`;
  return typeof status === 'string' ? status : '';
}
