import type { Db } from '../../../db/client.ts';
import { hasAuditRow, noteCheckpoint, type AuditHead } from '../../../db/queries/audit.ts';
import {
  signCheckpoint,
  type Checkpoint,
  type CheckpointKeys,
} from '../../../domain/transparency/audit-checkpoint.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { PlatformKeys } from '../../keys/directory/load-keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { putCheckpoint, readNewest } from './checkpoint-store.ts';

export interface KeepCheckpointDeps {
  readonly db: Db;
  readonly store: Pick<ObjectStore, 'get' | 'put'>;
  readonly keys: Pick<PlatformKeys, 'tokens' | 'retiredTokens' | 'next'>;
  readonly clock: () => Date;
}

/**
 * Signs a checkpoint of an audit log that has grown, and records its number. The checkpoint is
 * stored where no owner of the database can reach it. It is signed only if the log continues from
 * the last checkpoint in the store: a signature must not hide truncated or rewritten entries.
 * @returns false where the log does not continue from that checkpoint
 * @throws Failure `dependency_unavailable` when the store does not answer
 */
export async function keepCheckpoint(deps: KeepCheckpointDeps, head: AuditHead): Promise<boolean> {
  const { db, store, keys, clock } = deps;
  const { account_id: accountId, seq, hash } = head;
  const asked = { accountId, noted: head.checkpoints };
  const last = (await readNewest(store, asked, checkpointKeys(keys), 1)).at(-1);
  const number = (last?.number ?? 0) + 1;
  if (last) {
    const before = last.checkpoint;
    if (!before || !(await goesOn(db, before, head))) return false;
    if (before.seq === seq) {
      await noteCheckpoint(db, [accountId, last.number, seq]);
      return true;
    }
  }
  const checkpoint = { accountId, number, seq, hash, at: clock() };
  const text = await signCheckpoint(keys.tokens, checkpoint);
  try {
    await putCheckpoint(store, checkpoint, text);
  } catch (error) {
    // Another worker was first. The next sweep finds its checkpoint.
    if (error instanceof Failure && error.code === 'object_conflict') return true;
    throw error;
  }
  await noteCheckpoint(db, [accountId, number, seq]);
  return true;
}

/**
 * Returns the public keys of checkpoints: the token key, the next one, and retired unrevoked ones.
 */
export function checkpointKeys(
  keys: Pick<PlatformKeys, 'tokens' | 'retiredTokens' | 'next'>,
): CheckpointKeys {
  const replaced = keys.retiredTokens.filter(({ revoked }) => revoked === null);
  const next = keys.next.filter(({ name }) => name === 'tokens');
  const known = [keys.tokens, ...next, ...replaced];
  return (kid) => known.find((key) => key.kid === kid)?.certificate.publicKey ?? null;
}

async function goesOn(db: Db, before: Checkpoint, head: AuditHead): Promise<boolean> {
  if (before.seq > head.seq) return false;
  if (before.seq === head.seq && !before.hash.equals(head.hash)) return false;
  return hasAuditRow(db, before);
}
