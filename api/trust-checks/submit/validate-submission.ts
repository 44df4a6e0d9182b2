import type { z } from 'zod';
import { findEvidence } from '../../../db/queries/evidence.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { ProofType } from '../../../workflows/proofs.ts';
import type { Deps } from '../../deps.ts';
import { InvalidRequest } from '../../http/problem/problem.ts';
import { frameBytesMax } from '../schemas/evidence-ids.ts';
import type { submitProofRequest } from '../schemas/schemas.ts';

type Submission = z.output<typeof submitProofRequest>;

/** The required members of each proof. `provider_session` can replace `frames`. */
const neededOf: Readonly<Partial<Record<ProofType, readonly (keyof Submission)[]>>> = {
  biometric: ['challenge_id', 'frames'],
  document: ['front'],
  nfc_passport: ['sod', 'data_groups'],
  phone: ['code'],
};

/** Proofs that a camera captures. They can be reviewed, and have capture signals. */
const cameraProofs: readonly ProofType[] = ['document', 'biometric'];

/** @throws InvalidRequest for a body without the members that its proof needs */
export function validateMembers(proof: ProofType, body: Submission): void {
  if (body.review_request) return checkReviewRequest(proof, body);
  if (body.capture_signals && !cameraProofs.includes(proof))
    refuse('capture_signals', notAllowedFor(proof));
  const missing = (neededOf[proof] ?? []).filter(
    (name) => body[name] === undefined && (name !== 'frames' || !body.provider_session),
  );
  if (missing.length === 0) return;
  throw new InvalidRequest(
    missing.map((name) => ({ loc: ['body', name], msg: 'Field required', type: 'missing' })),
  );
}

function checkReviewRequest(proof: ProofType, body: Submission): void {
  const isAlone = Object.values(body).filter((value) => value !== undefined).length === 1;
  if (isAlone && cameraProofs.includes(proof)) return;
  refuse('review_request', isAlone ? notAllowedFor(proof) : 'must be the only member');
}

const notAllowedFor = (proof: ProofType): string => `must be left out for ${proof}`;

function refuse(member: keyof Submission, msg: string): never {
  throw new InvalidRequest([{ loc: ['body', member], msg, type: 'custom' }]);
}

/**
 * Validates the evidence ids of a submission before an attempt is counted. Reads no files.
 * @throws Failure `evidence_unknown` for an id that is not of this session
 * @throws InvalidRequest for a frame over the size limit
 */
export async function validateEvidence(
  deps: Pick<Deps, 'db'>,
  sessionId: string,
  body: Submission,
): Promise<void> {
  const named = namedIn(body);
  if (named.length === 0) return;
  const ids = [...new Set(named.map(({ id }) => id))];
  const found = await findEvidence(deps.db, sessionId, ids);
  const sizes = new Map(found.map(({ evidence_id, size_bytes }) => [evidence_id, size_bytes]));
  const unknown = named.find(({ id }) => !sizes.has(id));
  if (unknown) throw new Failure('evidence_unknown', { extra: { loc: ['body', ...unknown.at] } });
  const large = named.find(({ id, bytesMax = Infinity }) => (sizes.get(id) ?? 0) > bytesMax);
  if (!large) return;
  const fault = { msg: `must be at most ${frameBytesMax} bytes`, type: 'too_large' };
  throw new InvalidRequest([{ loc: ['body', ...large.at], ...fault }]);
}

interface Named {
  readonly at: readonly (string | number)[];
  readonly id: string;
  readonly bytesMax?: number;
}

function namedIn(body: Submission): Named[] {
  const { front, back, sod, data_groups, active_auth, chip_auth, frames = [] } = body;
  const named: Named[] = Object.entries({ back, front, sod }).flatMap(([name, id]) =>
    id ? [{ at: [name], id }] : [],
  );
  for (const [group, id] of Object.entries(data_groups ?? {})) {
    named.push({ at: ['data_groups', group], id });
  }
  if (active_auth) named.push({ at: ['active_auth', 'signature'], id: active_auth.signature });
  for (const [index, id] of chip_auth?.responses.entries() ?? []) {
    named.push({ at: ['chip_auth', 'responses', index], id });
  }
  for (const [index, { image: id }] of frames.entries()) {
    named.push({ at: ['frames', index, 'image'], id, bytesMax: frameBytesMax });
  }
  return named;
}
