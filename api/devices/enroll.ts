import {
  openNoticeAddresses,
  type NoticeAddress,
} from '../../activities/identity/members/notices.ts';
import { finishRecovery, lockAdmission } from '../../activities/identity/recovery.ts';
import {
  recordUserCertificate,
  type SignedCertificate,
} from '../../activities/keys/certificates/record-user-certificate.ts';
import { enrollmentContext, tokensContext } from '../../activities/proofs/device/enrollment.ts';
import {
  withoutToken,
  type JudgedIntegrity,
} from '../../activities/proofs/device/google/play-integrity.ts';
import { recallIn } from '../../activities/proofs/device/google/play-recall.ts';
import {
  judgeEnrollment,
  type Enrollment,
  type JudgedEnrollment,
} from '../../activities/proofs/device/judge-enrollment.ts';
import { transaction, type Tx } from '../../db/client.ts';
import { derivedId } from '../../db/ids.ts';
import { isUserCertified } from '../../db/queries/certificates.ts';
import { hashOfChallenge, isChallengeOpen, takeChallenge } from '../../db/queries/challenges.ts';
import { findApp, isSessionLive, type AppRow } from '../../db/queries/credentials.ts';
import { addCertUser, findDevice, insertDevice } from '../../db/queries/devices.ts';
import { beginRecall } from '../../db/queries/recalls.ts';
import { findLiveRecovery, type RecoveryRow } from '../../db/queries/recoveries.ts';
import { userOwner } from '../../db/sealing/sealed.ts';
import { thumbprintOf } from '../../domain/pki/x509/thumbprint.ts';
import { serialsOf } from '../../domain/proofs/device/android/status-list.ts';
import { readRecall } from '../../domain/proofs/device/verify-device-recall.ts';
import type { Verdict } from '../../domain/proofs/verdict.ts';
import { isSigningProof } from '../../domain/tokens/signing-proof.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { assertRecentDeviceProof } from '../http/auth/assurance.ts';
import { forgetPerson } from '../http/auth/credentials/session.ts';
import { handler, type Input } from '../http/contract.ts';
import { missingIdentity } from '../http/fields/app-settings.ts';
import { certifyUser, type SigningDeps } from '../signing.ts';
import { deviceContracts } from './contract.ts';
import { certificateOf, enrolledOf } from './renew.ts';

type EnrollDeps = Pick<Deps, 'db' | 'keys' | 'ids' | 'sealer' | 'attestation'> & SigningDeps;
type EnrollInput = Input<typeof deviceContracts.enroll>;

/**
 * Enrolls a phone. The attested key and the signing key have both signed the challenge, so one
 * phone holds both. Every result uses up the challenge. One transaction creates device and
 * certificate. A repeated request after a crash finds what the first one created.
 */
export const enroll = handler(deviceContracts.enroll)(async (input, deps: EnrollDeps) => {
  const { body, call, seed } = input;
  const deviceId = derivedId('dev', seed);
  const known = await findDevice(deps.db, deviceId);
  if (known) return { status: 201, body: await certificateOf(deps, known, call.now) };
  const app = await findApp(deps.db, body.app_id);
  if (!app) throw new Failure('not_found');
  if (!(await isSigningProof(body.signing_key, body.signing_proof, body.challenge))) {
    throw new Failure('signing_proof_invalid', { extra: { loc: ['body', 'signing_proof'] } });
  }
  const enrollment = await enrollmentOf(deps, app, input);
  const challenge = Buffer.from(body.challenge, 'base64url');
  const judged = judgeEnrollment(deps.attestation.trust, enrollment, challenge, call.now);
  if (judged.verdict.verdict !== 'passed') await refuse(deps, input, judged.verdict);
  const integrity = await integrityOf(deps, enrollment, input);
  await deps.sealer.prepare(userOwner(holderOf(input)));
  const addresses = await addressesOf(deps, input);
  // A refusal here saves a worker's signature. The locks are released; all is checked again below.
  await transaction(deps.db, async (tx) => {
    if (!(await isChallengeOpen(tx, hashOfChallenge(body.challenge), 'enroll', call.now))) {
      throw new Failure('challenge_unknown');
    }
    await assertEnrollmentAllowed(tx, input.caller, call.now);
  });
  // Before the transaction, so that no database connection waits for a worker.
  const signed = await certifyUser(deps, holderOf(input), body.signing_key);
  const enrolled = await transaction(deps.db, async (tx) => {
    if (!(await takeChallenge(tx, hashOfChallenge(body.challenge), 'enroll', call.now))) {
      throw new Failure('challenge_unknown');
    }
    return certify(deps, tx, input, deviceId, { ...judged, integrity, addresses, signed });
  });
  if (input.caller.kind === 'session') forgetPerson(input.caller.polyUserId);
  return { status: 201, body: enrolled };
});

/** The person of the session, or a new one with an id derived from the request. */
const holderOf = ({ caller, seed }: Pick<EnrollInput, 'caller' | 'seed'>): string =>
  caller.kind === 'session' ? caller.polyUserId : derivedId('pu', seed);

async function enrollmentOf(
  deps: EnrollDeps,
  app: AppRow,
  input: EnrollInput,
): Promise<Enrollment> {
  const { apple, android, platform } = input.body;
  const missing = new Failure('attestation_refused', {
    detail: missingIdentity(platform),
    extra: { reason_code: 'app_id_mismatch' },
  });
  if (platform === 'ios') {
    if (!app.apple || !apple) throw missing;
    return { platform, app: app.apple, keyId: apple.key_id, attestation: apple.attestation };
  }
  if (!app.android || !android) throw missing;
  const revocation = await deps.attestation.revocationOf(android.chain);
  return { platform, app: app.android, chain: android.chain, revocation };
}

/**
 * Returns Google's verdict on the phone, where this service uses Play. A device risk is not
 * refused: a reviewer decides a check with such a phone. A phone that Play recalls as flagged is
 * refused.
 */
async function integrityOf(
  deps: EnrollDeps,
  enrollment: Enrollment,
  input: EnrollInput,
): Promise<JudgedIntegrity | null> {
  const { play } = deps.attestation;
  if (enrollment.platform === 'ios' || !play.isAskedOf(enrollment.app)) return null;
  const { android, challenge } = input.body;
  const [leaf] = enrollment.chain;
  if (!android?.integrity || !leaf) {
    return refuse(deps, input, withoutToken);
  }
  const bound = { challenge: Buffer.from(challenge, 'base64url'), key: leaf };
  const judged = await play.judge(enrollment.app, android.integrity, bound, input.call.now);
  const { verdict, reason_code } = judged.verdict;
  const isTaken = verdict === 'passed' || reason_code === 'device_risk';
  if (!isTaken) return refuse(deps, input, judged.verdict);
  const recalled = recallIn(judged.verdict.facts);
  const isFlagged = recalled !== null && readRecall('android', recalled)?.flagged;
  return isFlagged ? refuse(deps, input, { reason_code: 'device_flagged' }) : judged;
}

/** A refusal uses up the challenge, so that the same one cannot be tried again. */
async function refuse(
  deps: EnrollDeps,
  { body, call }: EnrollInput,
  verdict: Pick<Verdict, 'reason_code'>,
): Promise<never> {
  const hash = hashOfChallenge(body.challenge);
  if (!(await takeChallenge(deps.db, hash, 'enroll', call.now))) {
    throw new Failure('challenge_unknown');
  }
  throw new Failure('attestation_refused', { extra: { reason_code: verdict.reason_code } });
}

async function certify(
  deps: EnrollDeps,
  tx: Tx,
  { body, caller, call, seed }: EnrollInput,
  deviceId: string,
  judged: JudgedEnrollment & {
    readonly integrity: JudgedIntegrity | null;
    readonly addresses: readonly NoticeAddress[];
    readonly signed: SignedCertificate;
  },
) {
  const { publicKeySpki, attestedKeyId } = judged;
  const android = body.platform === 'android' ? body.android : undefined;
  if (!publicKeySpki || !attestedKeyId) throw new Failure('attestation_refused');
  const polyUserId = holderOf({ caller, seed });
  const context = enrollmentContext(deviceId);
  const evidence = await deps.sealer.seal(
    userOwner(polyUserId),
    context,
    JSON.stringify(judged.integrity ? [judged.file, judged.integrity.file] : judged.file),
  );
  await addCertUser(tx, polyUserId, call.now);
  const recovery = await assertEnrollmentAllowed(tx, caller, call.now);
  const device = await insertDevice(tx, {
    device_id: deviceId,
    poly_user_id: polyUserId,
    app_id: body.app_id,
    platform: body.platform,
    attested_key_id: attestedKeyId,
    public_key_spki: publicKeySpki,
    evidence_sealed: evidence,
    verdict: judged.verdict,
    signing_kid: thumbprintOf(body.signing_key),
    name: body.device_name ?? null,
    created_at: call.now,
    attestation_serials: android ? serialsOf(android.chain) : null,
  });
  if (!device) throw new Failure('device_enrolled');
  const holder = { polyUserId, deviceId };
  const certificate = await recordUserCertificate(tx, judged.signed, holder);
  const tokens = tokensOf(body, judged.integrity);
  if (tokens) {
    const sealed = await deps.sealer.seal(userOwner(polyUserId), tokensContext(deviceId), tokens);
    await beginRecall(tx, deviceId, sealed);
  }
  if (recovery && caller.kind === 'session') {
    const noticeDeps = { ids: deps.ids, sealer: deps.sealer, now: call.now };
    await finishRecovery(tx, noticeDeps, recovery, { deviceId, sid: caller.sid }, judged.addresses);
  }
  return enrolledOf(device, certificate);
}

/**
 * Returns the tokens that identify the phone to its vendor, as JSON: the device tokens of an
 * iPhone, or the Play token if its verdict has recall data. Null if there are none.
 */
function tokensOf(
  { platform, apple, android }: EnrollInput['body'],
  integrity: JudgedIntegrity | null,
): string | null {
  const isRecalled = recallIn(integrity?.verdict.facts) !== null;
  const ofPlay = isRecalled && android?.integrity ? [android.integrity.token] : null;
  const tokens = platform === 'ios' ? apple?.device_tokens : ofPlay;
  return tokens ? JSON.stringify(tokens) : null;
}

/**
 * Returns the addresses to notify of a recovery that this enrollment completes; none without one.
 */
async function addressesOf(deps: EnrollDeps, { caller }: EnrollInput): Promise<NoticeAddress[]> {
  if (caller.kind !== 'session') return [];
  const recovery = await findLiveRecovery(deps.db, caller.polyUserId);
  return recovery ? openNoticeAddresses(deps, caller.polyUserId, recovery.account_id) : [];
}

/**
 * Allows a person's first phone. A further one needs a recent proof of a certified device, or an
 * approved recovery, which is returned. Checks the session in the database, because an enrollment
 * is permanent. Locks the person, so that two concurrent first phones are serialized.
 * @throws Failure `credential_invalid`, `step_up_required`
 */
async function assertEnrollmentAllowed(
  tx: Tx,
  caller: EnrollInput['caller'],
  now: Date,
): Promise<RecoveryRow | null> {
  if (caller.kind !== 'session') return null;
  if (!(await isSessionLive(tx, caller, now))) throw new Failure('credential_invalid');
  const recovery = await lockAdmission(tx, caller.polyUserId, now);
  if (recovery) return recovery;
  if (await isUserCertified(tx, caller.polyUserId, now)) assertRecentDeviceProof(caller, now);
  return null;
}
