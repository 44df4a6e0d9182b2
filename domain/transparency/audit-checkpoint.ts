import type { KeyObject } from 'node:crypto';
import type { Signer } from '../pki/signer.ts';
import { decodeJws, isSignedBy, signJws } from '../tokens/jws.ts';

/** A row of an account's audit log at some time, signed by the platform. */
export interface Checkpoint {
  readonly accountId: number;
  /** Sequence number in the account, from 1. */
  readonly number: number;
  readonly seq: number;
  readonly hash: Buffer;
  readonly at: Date;
}

/** The keys that checkpoints may be signed by: the token key and earlier ones. */
export type CheckpointKeys = (kid: string) => KeyObject | null;

const typ = 'audit-checkpoint+jwt';
const hashForm = /^[0-9a-f]{64}$/;

/**
 * Signs a checkpoint as a compact JWS (RFC 7515). Its type differs from every token (RFC 8725
 * §3.11).
 */
export function signCheckpoint(signer: Signer, checkpoint: Checkpoint): Promise<string> {
  return signJws(signer, typ, {
    account_id: checkpoint.accountId,
    number: checkpoint.number,
    seq: checkpoint.seq,
    hash: checkpoint.hash.toString('hex'),
    iat: Math.floor(checkpoint.at.getTime() / 1000),
  });
}

/** Reads a checkpoint; null if it is not ours, or belongs to another place. */
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
