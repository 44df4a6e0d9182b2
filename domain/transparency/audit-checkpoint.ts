import type { KeyObject } from 'node:crypto';
import type { Signer } from '../pki/signer.ts';
import { decodeJws, isSignedBy, signJws } from '../tokens/jws.ts';

/** A row that an account's audit log had at an instant, under the platform's signature. */
export interface Checkpoint {
  readonly accountId: number;
  /** From 1: the first, the second one of the account. */
  readonly number: number;
  readonly seq: number;
  readonly hash: Buffer;
  readonly at: Date;
}

/** The keys that checkpoints may be signed by: the token key and those before it. */
export type CheckpointKeys = (kid: string) => KeyObject | null;

const typ = 'audit-checkpoint+jwt';
const hashForm = /^[0-9a-f]{64}$/;

/** A checkpoint as a compact JWS (RFC 7515), typed apart from every token (RFC 8725 §3.11). */
export function signCheckpoint(signer: Signer, checkpoint: Checkpoint): Promise<string> {
  return signJws(signer, typ, {
    account_id: checkpoint.accountId,
    number: checkpoint.number,
    seq: checkpoint.seq,
    hash: checkpoint.hash.toString('hex'),
    iat: Math.floor(checkpoint.at.getTime() / 1000),
  });
}

/** The checkpoint a text is; null where it is none of ours, or that of another place. */
export async function readCheckpoint(
  text: string,
  place: Pick<Checkpoint, 'accountId' | 'number'>,
  keys: CheckpointKeys,
): Promise<Checkpoint | null> {
  const jws = decodeJws(text, typ);
  const key = jws && keys(jws.header.kid);
  if (!jws || !key || !(await isSignedBy(jws, key))) return null;
  const { account_id: accountId, number, seq, hash, iat } = jws.claims;
  if (accountId !== place.accountId || number !== place.number) return null;
  if (!isCount(seq) || !isCount(iat) || typeof hash !== 'string' || !hashForm.test(hash)) {
    return null;
  }
  return { ...place, seq, hash: Buffer.from(hash, 'hex'), at: new Date(iat * 1000) };
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;
