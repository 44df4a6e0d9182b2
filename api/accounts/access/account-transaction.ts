import { lockedTransaction, type Tx } from '../../../db/client.ts';
import { lockAccount, type AccountRow } from '../../../db/queries/accounts.ts';
import { appendAudit } from '../../../db/queries/audit.ts';
import { listLive } from '../../../db/queries/credentials.ts';
import type { AuditAction } from '../../../domain/names.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import type { Access } from '../../http/auth/authorize.ts';
import { callerName, type Caller } from '../../http/auth/caller.ts';
import type { CallFacts } from '../../http/contract.ts';

type Administrator = Extract<Caller, { kind: 'session' | 'api-key' }>;

interface Administration extends Pick<Access, 'authorizeIn' | 'reaches'> {
  readonly caller: Administrator;
  readonly call: CallFacts;
}

/** A locked account, and the caller who changes it. */
export interface AccountTransaction extends Pick<Access, 'reaches'> {
  readonly tx: Tx;
  readonly account: AccountRow;
  readonly caller: Administrator;
  /** Adds an audit entry. Called once for each change. */
  readonly note: (
    action: AuditAction,
    objectId: string,
    details: Readonly<Record<string, unknown>>,
  ) => Promise<void>;
}

/**
 * Changes an account in one transaction with its audit entries, one change at a time. Checks under
 * the lock that the caller still has their roles, so that a recently removed role cannot be used.
 * @throws Failure `not_found`, `role_required` as `authorizeIn` does; `credential_invalid` for a
 *   lost role
 */
export async function withAccountTransaction<T>(
  { db }: Pick<Deps, 'db'>,
  { caller, call, authorizeIn, reaches }: Administration,
  accountId: number,
  work: (administered: AccountTransaction) => Promise<T>,
): Promise<T> {
  authorizeIn(accountId);
  const lock = (tx: Tx) => lockAccount(tx, accountId);
  return lockedTransaction(db, lock, async (tx, account) => {
    if (!account) throw new Failure('not_found');
    const [keys, sessions] = caller.kind === 'session' ? [[], [caller]] : [[caller], []];
    const live = await listLive(tx, keys, sessions, call.now);
    if (!live.has(caller)) throw new Failure('credential_invalid');
    const entry = { accountId, actor: callerName(caller) };
    return work({
      tx,
      account,
      caller,
      reaches,
      note: (action, objectId, details) =>
        appendAudit(tx, { ...entry, action, objectId, details }, call.now),
    });
  });
}
