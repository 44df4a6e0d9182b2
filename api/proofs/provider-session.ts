import { subjectOf } from '../../activities/trust-checks/sandbox-outcomes.ts';
import { providerDown } from '../../activities/vendors/provider.ts';
import { findAccount } from '../../db/queries/accounts.ts';
import { noteProviderSession, type ProofChallengeRow } from '../../db/queries/evidence.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { FaceProvider } from '../../domain/names.ts';
import { providerSessionLifeMs } from '../../domain/proofs/face/provider-session.ts';
import type { Deps } from '../deps.ts';

type ProviderDeps = Pick<Deps, 'db' | 'outside' | 'clock'>;

/** Who judges the faces of this check; null: we do, and of a check that is forced nobody does. */
export async function faceProviderOf(
  { db }: Pick<Deps, 'db'>,
  session: TrustCheckRow,
): Promise<FaceProvider | null> {
  if (subjectOf(session)) return null;
  return (await findAccount(db, session.account_id))?.face_provider ?? null;
}

/**
 * Begins the session of a challenge with its provider, or takes it up: the challenge's id is its
 * key, so that whoever asks again gets the same. Its time begins when the provider has answered.
 * Throws `dependency_unavailable` where it does not, or names a session that is of another
 * challenge.
 */
export async function beginProviderSession(
  { db, outside, clock }: ProviderDeps,
  row: ProofChallengeRow,
): Promise<{ row: ProofChallengeRow; provider?: ProviderSession }> {
  const { provider: name, challenge_id: id } = row;
  if (name === null) return { row };
  const provider = outside.faceProviders[name];
  if (!provider) throw providerDown(`${name}, not configured`, undefined);
  const { session, client } = await provider.begin(id);
  const expiresAt = new Date(clock().getTime() + providerSessionLifeMs);
  const noted =
    row.provider_session === null ? await noteProviderSession(db, id, session, expiresAt) : row;
  if (noted?.provider_session !== session) throw providerDown(`${name}, another's`, undefined);
  return { row: noted, provider: { name, session_id: session, client: { ...client } } };
}

interface ProviderSession {
  readonly name: FaceProvider;
  readonly session_id: string;
  readonly client: Record<string, string>;
}
