import pg from 'pg';
import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { and, isNull } from '../schema/drizzle.ts';
import { evidence } from '../schema/evidence.ts';
import { proofChallenges } from '../schema/trust-checks.ts';

export type EvidenceRow = typeof evidence.$inferSelect;
export type ProofChallengeRow = typeof proofChallenges.$inferSelect;

const {
  content_type,
  created_at,
  evidence_id,
  link_session_id,
  name,
  object_key,
  removed_at,
  sha256,
  size_bytes,
} = evidence;
const { challenge_id } = proofChallenges;

const count = statement<{ count: number }>(
  'evidence.count',
  'SELECT count(*)::int AS count FROM evidence WHERE link_session_id = :sessionId',
);
const insert = prepare(
  'evidence.insert',
  { evidence_id, link_session_id, name, sha256, size_bytes, content_type, object_key, created_at },
  ({ by }) =>
    build.insert(evidence).values(by).onConflictDoNothing({ target: evidence_id }).returning(),
);
const byIds = statement<EvidenceRow>(
  'evidence.by_ids',
  `SELECT * FROM evidence
   WHERE link_session_id = :sessionId AND evidence_id = ANY(:ids::text[]) AND removed_at IS NULL`,
);
const removed = prepare('evidence.removed', { link_session_id, removed_at }, ({ by, equals }) =>
  build
    .update(evidence)
    .set({ removed_at: by.removed_at })
    .where(and(equals.link_session_id, isNull(removed_at)))
    .returning(),
);

/** Returns how many files were ever uploaded to a session, removed ones included. */
export async function countEvidence(on: Queryable, sessionId: string): Promise<number> {
  return firstOf(await count(on, { sessionId }))?.count ?? 0;
}

export async function insertEvidence(
  tx: Tx,
  row: Omit<EvidenceRow, 'removed_at'>,
): Promise<EvidenceRow | null> {
  return firstOf(await insert(tx, row));
}

/** Returns the files with these ids that belong to the session and are not removed. */
export async function findEvidence(
  on: Queryable,
  sessionId: string,
  ids: readonly string[],
): Promise<EvidenceRow[]> {
  return byIds(on, { sessionId, ids });
}

/** Records that the files of a session are removed. Returns the ones that existed, for deletion. */
export async function markEvidenceRemoved(
  tx: Tx,
  sessionId: string,
  now: Date,
): Promise<EvidenceRow[]> {
  return removed(tx, { link_session_id: sessionId, removed_at: now });
}

const insertChallenge = statement<ProofChallengeRow>(
  'proof_challenges.insert',
  `WITH swept AS (
     DELETE FROM proof_challenges WHERE challenge_id IN (
       SELECT challenge_id FROM proof_challenges
       WHERE expires_at < :expires_at::timestamptz - interval '2 days'
       ORDER BY expires_at LIMIT 20 FOR UPDATE SKIP LOCKED)
   )
   INSERT INTO proof_challenges (challenge_id, link_session_id, proof, challenge, expires_at,
     provider, secret_version)
   VALUES (:challenge_id, :link_session_id, :proof, :challenge, :expires_at, :provider,
     :secret_version) ON CONFLICT (challenge_id) DO NOTHING RETURNING *`,
);
const challengeById = prepare('proof_challenges.by_id', { challenge_id }, ({ equals }) =>
  build.select().from(proofChallenges).where(equals.challenge_id),
);
const liveChallenge = statement<ProofChallengeRow>(
  'proof_challenges.live',
  `SELECT * FROM proof_challenges
   WHERE link_session_id = :sessionId AND proof = :proof::proof_type
     AND (:challengeId::text IS NULL OR challenge_id = :challengeId) AND used_at IS NULL
       AND expires_at > :now
   ORDER BY expires_at DESC LIMIT 1`,
);
const countChallenges = statement<DrawnChallenges>(
  'proof_challenges.count',
  `SELECT count(*)::int AS drawn,
     count(*) FILTER (WHERE used_at IS NULL AND expires_at <= :now
       AND (provider IS NULL OR provider_session IS NOT NULL))::int AS lapsed
   FROM proof_challenges WHERE link_session_id = :sessionId AND proof = :proof::proof_type`,
);
const takeChallenge = statement<ProofChallengeRow>(
  'proof_challenges.take',
  `UPDATE proof_challenges SET used_at = :now
   WHERE challenge_id = (
     SELECT challenge_id FROM proof_challenges
     WHERE link_session_id = :sessionId AND proof = :proof::proof_type AND used_at IS NULL
       AND expires_at > :now AND (:challengeId::text IS NULL OR challenge_id = :challengeId)
     ORDER BY expires_at DESC LIMIT 1 FOR UPDATE)
   RETURNING *`,
);

type NewChallenge = Omit<ProofChallengeRow, 'used_at' | 'provider' | 'provider_session'> &
  Partial<Pick<ProofChallengeRow, 'provider'>>;

/**
 * Stores a challenge once per id, so that a repeated request returns the same one. Deletes a few
 * that ended longer ago than a request can be repeated.
 */
export async function addProofChallenge(
  on: Queryable,
  row: NewChallenge,
): Promise<ProofChallengeRow | null> {
  const made = firstOf(await insertChallenge(on, { ...row, provider: row.provider ?? null }));
  return made ?? firstOf(await challengeById(on, { challenge_id: row.challenge_id }));
}

const noteSession = statement<ProofChallengeRow>(
  'proof_challenges.note_session',
  `UPDATE proof_challenges c SET provider_session = :session, expires_at = :expiresAt
   WHERE challenge_id = :challengeId AND provider_session IS NULL AND used_at IS NULL
     AND NOT EXISTS (SELECT 1 FROM proof_challenges o
       WHERE o.provider = c.provider AND o.provider_session = :session)
   RETURNING *`,
);

/**
 * Binds a challenge permanently to the session of its provider, and starts its lifetime. The first
 * session stays. Returns the row as it then is, with whichever session is bound. Does not bind a
 * session that belongs to another challenge.
 */
export async function noteProviderSession(
  on: Queryable,
  challengeId: string,
  session: string,
  expiresAt: Date,
): Promise<ProofChallengeRow | null> {
  const noted = await noteSession(on, { challengeId, session, expiresAt }).catch(
    (error: unknown) => {
      // Another challenge was bound to the session concurrently.
      if (isBound(error)) return [];
      throw error;
    },
  );
  return firstOf(noted) ?? firstOf(await challengeById(on, { challenge_id: challengeId }));
}

const isBound = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.constraint === 'proof_challenges_provider_session';

interface WantedChallenge {
  readonly sessionId: string;
  readonly proof: string;
  readonly challengeId: string | null;
  readonly now: Date;
}

interface DrawnChallenges {
  readonly drawn: number;
  /** Expired without a response, although a response was possible. */
  readonly lapsed: number;
}

/** Counts the challenges that a session drew for a proof. */
export async function countProofChallenges(
  on: Queryable,
  { sessionId, proof, now }: Omit<WantedChallenge, 'challengeId'>,
): Promise<DrawnChallenges> {
  const found = firstOf(await countChallenges(on, { sessionId, proof, now }));
  return found ?? { drawn: 0, lapsed: 0 };
}

/**
 * Returns a live challenge for a proof of the session: the named one, or else the newest. Does not
 * consume it.
 */
export async function findProofChallenge(
  on: Queryable,
  { sessionId, proof, challengeId, now }: WantedChallenge,
): Promise<ProofChallengeRow | null> {
  return firstOf(await liveChallenge(on, { sessionId, proof, challengeId, now }));
}

/**
 * Consumes a live challenge of a session: the named one, or else the newest. Returns null if there
 * is none.
 */
export async function takeProofChallenge(
  tx: Tx,
  { sessionId, proof, challengeId, now }: WantedChallenge,
): Promise<ProofChallengeRow | null> {
  return firstOf(await takeChallenge(tx, { sessionId, proof, challengeId, now }));
}
