import { parseConfig } from '../../activities/runtime/config.ts';
import { withCauses } from '../../activities/runtime/with-causes.ts';
import { createObjectStore, storageConfig } from '../../activities/storage/config.ts';
import type { ObjectStore } from '../../activities/storage/object-store.ts';
import {
  readNewest,
  type StoredCheckpoint,
} from '../../activities/transparency/audit/checkpoint-store.ts';
import { checkpointKeys } from '../../activities/transparency/audit/keep-checkpoint.ts';
import type { Queryable } from '../../db/client.ts';
import { findAccount } from '../../db/queries/accounts.ts';
import {
  findAuditHead,
  listChains,
  verifyAudit,
  type AuditVerdict,
  type BrokenAudit,
} from '../../db/queries/audit.ts';
import type { CheckpointKeys } from '../../domain/transparency/audit-checkpoint.ts';
import { withDatabase } from '../admin/with-database.ts';
import { printable } from '../command-line/printable.ts';
import { loadLocalKeys } from '../data-directory/keys.ts';
import { environment } from '../environment.ts';

const faults: Readonly<Record<BrokenAudit['fault'], string>> = {
  altered: 'is not what was written',
  missing: 'is missing',
  unchained: 'does not follow the row before it',
  unknown: 'was added by another program',
  truncated: 'is missing: a checkpoint has it, or one after it',
  rewritten: 'is not the one that a checkpoint has',
};

/** Number of an account's newest checkpoints that are compared with its log. */
const checkpointsMax = 20;

/**
 * Where checkpoints are stored, and the keys of their signatures. A text says why these are
 * unknown.
 */
export type CheckpointSource =
  | { readonly store: Pick<ObjectStore, 'get' | 'put'>; readonly keys: CheckpointKeys }
  | string;

/**
 * Verifies the audit log of one account, or of all, and compares each with its checkpoints. Exit
 * codes: 0 all are valid; 1 one is broken or could not be compared, or the account does not exist;
 * 2 the account number is malformed.
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
    const source = await openSource(dataDir);
    const { lines, isWhole } = await walkChains(db, accounts, source, account === undefined);
    process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(''));
    return isWhole ? 0 : 1;
  });
}

/**
 * Returns a line for each chain. It names the first invalid row, or the checkpoint.
 * @param skipsEmpty omits accounts that have neither a row nor a checkpoint
 */
export async function walkChains(
  on: Queryable,
  accounts: readonly number[],
  source: CheckpointSource,
  skipsEmpty = false,
): Promise<{ lines: string[]; isWhole: boolean }> {
  const lines: string[] = [];
  let isWhole = true;
  for (const account of accounts) {
    // Reads the checkpoints first, so that their rows are already written.
    const kept = await readExported(on, account, source);
    const held = typeof kept === 'string' ? [] : kept.flatMap(({ checkpoint }) => checkpoint ?? []);
    const verdict = await verifyAudit(on, account, held);
    const head = await findAuditHead(on, account);
    const isEmpty = verdict.rows === 0 && !head && held.length === 0 && typeof kept !== 'string';
    if (skipsEmpty && isEmpty && !verdict.broken) continue;
    const fault = verdict.broken
      ? `broken at row ${verdict.broken.seq}, which ${faults[verdict.broken.fault]}`
      : faultOfExported(kept);
    if (fault) isWhole = false;
    lines.push(`account ${account}: ${fault ?? whole(verdict, held.at(-1)?.seq)}`);
  }
  return { lines, isWhole };
}

interface ExportedCheckpoint extends StoredCheckpoint {
  /** True if the database notes it but the store does not have it. */
  readonly isGone?: boolean;
}

async function readExported(
  on: Queryable,
  accountId: number,
  source: CheckpointSource,
): Promise<readonly ExportedCheckpoint[] | string> {
  if (typeof source === 'string') return source;
  const noted = (await findAuditHead(on, accountId))?.checkpoints ?? 0;
  try {
    const found = await readNewest(source.store, { accountId, noted }, source.keys, checkpointsMax);
    const isGone = noted > (found.at(-1)?.number ?? 0);
    return isGone ? [...found, { number: noted, checkpoint: null, isGone }] : found;
  } catch (error) {
    return withCauses(error);
  }
}

function faultOfExported(kept: readonly ExportedCheckpoint[] | string): string | null {
  if (typeof kept === 'string') return `not compared with its checkpoints: ${kept}`;
  const wrong = kept.find(({ checkpoint }) => checkpoint === null);
  if (!wrong) return null;
  const what = wrong.isGone
    ? 'is noted, and not in the object store'
    : 'is not signed by a token key that is known here, or not of this place';
  return `checkpoint ${wrong.number} ${what}`;
}

function whole({ rows, hash }: AuditVerdict, checked: number | undefined): string {
  const hold = rows === 1 ? '1 row holds' : `${rows} rows hold`;
  const to = checked === undefined ? 'no checkpoint yet' : `checked to row ${checked}`;
  return `${hold}, the last one is ${hash}, ${to}`;
}

async function openSource(dataDir: string): Promise<CheckpointSource> {
  try {
    const config = parseConfig(storageConfig, environment());
    const keys = loadLocalKeys(dataDir);
    const place = { ...config, DATA_DIR: dataDir, BASE_URL: 'http://localhost' };
    const store = await createObjectStore(
      place,
      () => keys.secret('object-urls'),
      () => new Date(),
    );
    return { store, keys: checkpointKeys(keys) };
  } catch (error) {
    return withCauses(error);
  }
}
