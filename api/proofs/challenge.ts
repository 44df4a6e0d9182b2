import { transaction } from '../../db/client.ts';
import { derivedId } from '../../db/ids.ts';
import {
  addProofChallenge,
  countProofChallenges,
  findEvidence,
  findProofChallenge,
  type ProofChallengeRow,
} from '../../db/queries/evidence.ts';
import { lockTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import {
  actionsOf,
  faceChallengeBytes,
  faceChallengeLifeMs,
} from '../../domain/proofs/face/actions.ts';
import { providerSessionLifeMs } from '../../domain/proofs/face/provider-session.ts';
import { chipCommandsOf, ephemeralKeyOf } from '../../domain/proofs/passport/chip/chip-auth.ts';
import {
  chipAuthenticationOf,
  dg14BytesMax,
} from '../../domain/proofs/passport/chip/security-infos.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { findSessionOrThrow, retriesOf } from '../running-checks/find.ts';
import { proofContracts } from './contract.ts';
import { beginProviderSession, faceProviderOf } from './provider-session.ts';

const kinds = {
  /** RND.IFD of active authentication (ICAO 9303-11 §6.1). */
  nfc_passport: { sizeBytes: 8, lifeMs: 5 * 60_000 },
  biometric: { sizeBytes: faceChallengeBytes, lifeMs: faceChallengeLifeMs },
} as const;

/** Maximum of expired face challenges: more suggest a search for one with a prepared answer. */
const faceLapsedMax = 5;
/**
 * Maximum of challenges with chip commands: they need arithmetic in a group that a client chose.
 */
const chipDrawnMax = 20;

/**
 * Returns the challenge that a chip has to sign, and for a chip with an uploaded EF.DG14 the
 * commands it has to answer; or the actions for a face. Each is valid for one judgment of this
 * session, whose phone never changes after pairing. A face has one challenge at a time: a repeated
 * request gets the same one until it expires or is used. With a provider, it gets the same provider
 * session.
 */
export const challenge = handler(proofContracts.challenge)(async (
  input,
  deps: Pick<Deps, 'clock' | 'db' | 'files' | 'ids' | 'keys' | 'outside'>,
) => {
  const { id } = input.path;
  const session = await findSessionOrThrow(deps, id, input.caller, input.authorize);
  const { proof } = input.body;
  assertAwaitsProof(session, proof);
  const { sizeBytes, lifeMs } = kinds[proof];
  const dg14 = await fileOf(deps, session, input.body.dg14);
  const provider = proof === 'biometric' ? await faceProviderOf(deps, session) : null;
  const drawn = {
    challenge_id: derivedId('ch', input.seed),
    link_session_id: id,
    proof,
    challenge: deps.ids.bytes(sizeBytes),
    secret_version: deps.keys.secretVersion,
    expires_at: new Date(input.call.now.getTime() + (provider ? providerSessionLifeMs : lifeMs)),
    provider,
  };
  const drawnRow = await draw(deps, drawn, { now: input.call.now, isForCommands: dg14 !== null });
  if (!drawnRow) throw new Failure('not_found');
  const begun = await beginProviderSession(deps, drawnRow);
  const { row } = begun;
  const isShown = proof === 'biometric' && !begun.provider;
  return {
    status: 201,
    body: {
      challenge_id: row.challenge_id,
      challenge: row.challenge.toString('base64url'),
      chip_auth: dg14 && commandsFor(deps, row, dg14),
      ...(begun.provider ? { provider: begun.provider } : {}),
      ...(isShown ? { actions: [...actionsOf(row.challenge)] } : {}),
      expires_at: row.expires_at.toISOString(),
    },
  };
});

/**
 * Draws a challenge under the session's lock, so that two concurrent requests get one.
 * @throws Failure `attempts_exhausted`
 */
function draw(
  { db }: Pick<Deps, 'db'>,
  drawn: Parameters<typeof addProofChallenge>[1],
  { now, isForCommands }: { now: Date; isForCommands: boolean },
): Promise<ProofChallengeRow | null> {
  const { link_session_id: sessionId, proof } = drawn;
  return transaction(db, async (tx) => {
    const locked = await lockTrustCheck(tx, sessionId);
    const rounds = retriesOf(locked?.log ?? []) + 1;
    const isFace = proof === 'biometric';
    const of = { sessionId, proof, now };
    const live = isFace && (await findProofChallenge(tx, { ...of, challengeId: null }));
    if (live) return live;
    const counted = await countProofChallenges(tx, of);
    const isLapsing = isFace && counted.lapsed >= faceLapsedMax * rounds;
    const isCostly = isForCommands && counted.drawn >= chipDrawnMax * rounds;
    if (isLapsing || isCostly) throw new Failure('attempts_exhausted');
    return addProofChallenge(tx, drawn);
  });
}

/**
 * Returns the bytes of a file of evidence; null if none is named.
 * @throws Failure `evidence_unknown`
 */
async function fileOf(
  { db, files }: Pick<Deps, 'db' | 'files'>,
  { link_session_id: id, account_id }: TrustCheckRow,
  evidenceId: string | undefined,
): Promise<Uint8Array | null> {
  if (evidenceId === undefined) return null;
  const [row] = await findEvidence(db, id, [evidenceId]);
  const isRead = row && row.size_bytes <= dg14BytesMax;
  const bytes = isRead ? await files.evidence.read(account_id, row) : null;
  if (!bytes) throw new Failure('evidence_unknown', { extra: { loc: ['body', 'dg14'] } });
  return bytes;
}

/** Returns null for a file without a usable key: its chip then gets the other challenge. */
function commandsFor({ keys }: Pick<Deps, 'keys'>, row: ProofChallengeRow, dg14: Uint8Array) {
  const { link_session_id: linkSessionId, challenge_id: challengeId } = row;
  const secret = keys.secretOf('chip-auth', row.secret_version);
  if (!secret) return null;
  try {
    const chip = chipAuthenticationOf(dg14);
    if (!chip) return null;
    const key = ephemeralKeyOf(secret, { linkSessionId, challengeId }, dg14, chip);
    const { agreement, reading } = chipCommandsOf(chip, key);
    return { agreement: agreement.map(base64url), reading: reading.map(base64url) };
  } catch {
    // The file is untrusted: node:crypto throws various errors for points off the curve.
    return null;
  }
}

const base64url = (bytes: Buffer): string => bytes.toString('base64url');

/**
 * Refuses a challenge for a proof that cannot be submitted yet, because it would expire unused.
 * @throws Failure `proof_not_expected`, `consent_required`, `invalid_state`
 */
function assertAwaitsProof({ proofs, status }: TrustCheckRow, proof: keyof typeof kinds): void {
  const asked = proofs.find(({ type }) => type === proof);
  if (!asked) throw new Failure('proof_not_expected');
  if (status === 'paired') throw new Failure('consent_required');
  if (status !== 'collecting') {
    throw new Failure('invalid_state', { detail: `The check is ${status}` });
  }
  if (asked.status === 'waiting_for_prerequisite') {
    throw new Failure('invalid_state', { detail: `The proof is ${asked.status}` });
  }
}
