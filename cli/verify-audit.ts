import type { Db } from '../db/client.ts';
import { findAccount } from '../db/queries/accounts.ts';
import { listChains, verifyAudit, type BrokenAudit } from '../db/queries/audit.ts';
import { withDatabase } from './with-database.ts';

const faults: Readonly<Record<BrokenAudit['fault'], string>> = {
  altered: 'is not what was written',
  missing: 'is missing',
  unchained: 'does not follow the row before it',
  unknown: 'was added by somebody else',
};

/**
 * Walks the audit log of one account, or of all: 0 when all hold, 1 when one is broken, or where
 * there is no such account.
 */
export async function verifyAuditLogs(
  account: string | undefined,
  dataDir: string,
): Promise<number> {
  if (account !== undefined && !/^[1-9]\d{0,9}$/.test(account)) {
    process.stderr.write('--account: must be the number of an account\n');
    return 2;
  }
  return withDatabase(dataDir, async (db) => {
    if (account !== undefined && !(await findAccount(db, Number(account)))) {
      process.stderr.write(`there is no account ${account}\n`);
      return 1;
    }
    const accounts = account === undefined ? await listChains(db) : [Number(account)];
    const { lines, isWhole } = await walkChains(db, accounts);
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    return isWhole ? 0 : 1;
  });
}

/** A line for each chain, which names the first row that does not hold. */
export async function walkChains(
  db: Db,
  accounts: readonly number[],
): Promise<{ lines: string[]; isWhole: boolean }> {
  const lines: string[] = [];
  let isWhole = true;
  for (const account of accounts) {
    const { rows, hash, broken } = await verifyAudit(db, account);
    if (broken) isWhole = false;
    lines.push(
      broken
        ? `account ${account}: broken at row ${broken.seq}, which ${faults[broken.fault]}`
        : `account ${account}: ${rowsHold(rows)}, the last one is ${hash}`,
    );
  }
  return { lines, isWhole };
}

const rowsHold = (rows: number): string => (rows === 1 ? '1 row holds' : `${rows} rows hold`);
