import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Connection, Client } from '@temporalio/client';
import { eventually } from '../../support/platform/harness.ts';
import { eventTypesOf, type Rehearsal } from './campaign.ts';
import { waitMsMax, type Field } from './field.ts';
import type { RunningCheck } from './running-check.ts';

/**
 * Compares everything a run has left with an undisturbed check, and returns the differences. Every
 * check passed with one affidavit and one code, and the same events without gap or repeat. Every
 * event reached the webhook and, once and in order, the sockets. Nothing is left running.
 */
export async function faultsOf(field: Field, rehearsal: Rehearsal): Promise<string[]> {
  const faults: string[] = [];
  for (const check of field.checks) faults.push(...(await faultsOfCheck(field, check, rehearsal)));
  faults.push(...(await strayAffidavits(field)));
  faults.push(...(await gaps(field)));
  faults.push(...(await undelivered(field)));
  faults.push(...(await misfollowed(field)));
  faults.push(...(await stillRunning(field)));
  return faults;
}

async function faultsOfCheck(
  field: Field,
  check: RunningCheck,
  rehearsal: Rehearsal,
): Promise<string[]> {
  const id = check.linkSessionId() ?? '';
  const status = await check.ended.then(
    (session) => session.status,
    (error: unknown) => String(error),
  );
  if (status !== 'passed') return [`${id} ${check.number}: ${status}`];
  try {
    await field.issued(check);
  } catch (error) {
    return [String(error)];
  }
  const types = await eventTypesOf(field, check);
  const isSame = types.join(' ') === rehearsal.eventTypes.join(' ');
  return [
    ...(isSame ? [] : [`${id}: its events are ${types.join(' ')}`]),
    ...(await faultsOfAffidavit(field, id)),
    ...(await faultsOfCode(field, check.number)),
  ];
}

/**
 * Checks that an affidavit has at most one row, file and proof, with its digest in row and session.
 */
async function faultsOfAffidavit({ db, filesOf }: Field, id: string): Promise<string[]> {
  const { rows } = await db.query<{ sha256: string; told: string }>(
    `SELECT a.sha256, t.affidavit_sha256 AS told
     FROM affidavits a JOIN trust_checks t USING (link_session_id) WHERE link_session_id = $1`,
    [id],
  );
  const all = await filesOf(id);
  const files = all.filter((name) => !name.endsWith('.tlog-proof'));
  if (rows.length !== 1 || files.length !== 1 || all.length > 2) {
    return [`${id}: ${rows.length} affidavits, ${all.length} files`];
  }
  const sha256 = createHash('sha256')
    .update(await readFile(files[0] ?? ''))
    .digest('hex');
  const [row] = rows;
  const isSame = row?.sha256 === sha256 && row.told === sha256;
  return isSame
    ? []
    : [`${id}: its file is ${sha256}, its row says ${row?.sha256} and ${row?.told}`];
}

async function faultsOfCode({ db }: Field, number: string): Promise<string[]> {
  const { rows } = await db.query<{ code: string }>(
    `SELECT substring(text from '^[0-9]{6}') AS code FROM outbox_messages WHERE recipient = $1`,
    [number],
  );
  return rows.length === 1 ? [] : [`${number} was sent ${rows.map(({ code }) => code).join(', ')}`];
}

async function strayAffidavits({ db, account, checks }: Field): Promise<string[]> {
  const { rows } = await db.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM affidavits WHERE account_id = $1',
    [account.account_id],
  );
  const count = rows[0]?.count;
  return count === checks.length ? [] : [`${count} affidavits of ${checks.length} checks`];
}

/**
 * Checks that every stream, including the account’s, counts from 1 to its head without gap or
 * repeat.
 */
async function gaps({ db, account }: Field): Promise<string[]> {
  const { rows } = await db.query<{ stream: string }>(
    `WITH placed AS (
       SELECT stream, seq FROM events WHERE account_id = $1
       UNION ALL SELECT 'account:' || account_id, account_seq FROM events WHERE account_id = $1
     )
     SELECT p.stream FROM placed p LEFT JOIN streams s ON s.stream = p.stream
     GROUP BY p.stream, s.seq
     HAVING min(p.seq) <> 1 OR max(p.seq) <> count(*) OR count(DISTINCT p.seq) <> count(*)
       OR max(p.seq) IS DISTINCT FROM s.seq`,
    [account.account_id],
  );
  return rows.map(({ stream }) => `${stream} has gaps or repeats`);
}

/** Checks that every event arrived at least once with the same body, and nothing else arrived. */
async function undelivered(field: Field): Promise<string[]> {
  const { db, account, openedAt, receiver } = field;
  const { rows } = await db.query<{ event_id: string }>(
    'SELECT event_id FROM events WHERE account_id = $1 AND account_seq > $2',
    [account.account_id, openedAt],
  );
  const wanted = new Set(rows.map(({ event_id }) => event_id));
  const missing = (): string[] => [...wanted].filter((id) => !receiver.bodies().has(id));
  await eventually(
    'every event at the webhook',
    async () => missing().length === 0,
    waitMsMax,
  ).catch(() => undefined);
  const undone = async (): Promise<number> => {
    const left = await db.query(
      `SELECT 1 FROM webhook_deliveries d JOIN webhook_endpoints e USING (endpoint_id)
       WHERE e.account_id = $1 AND d.status <> 'delivered'`,
      [account.account_id],
    );
    return left.rowCount ?? 0;
  };
  await eventually('every delivery done', async () => (await undone()) === 0, waitMsMax).catch(
    () => undefined,
  );
  const left = await undone();
  const unsteady = [...receiver.bodies()].filter(([, digests]) => digests.size > 1);
  const unknown = [...receiver.bodies().keys()].filter((id) => !wanted.has(id));
  return [
    ...missing().map((id) => `${id} never came to the webhook`),
    ...unsteady.map(([id]) => `${id} came with different bodies`),
    ...unknown.map((id) => `${id} came and is no event`),
    ...(left > 0 ? [`${left} deliveries are not done`] : []),
    ...(receiver.forged() > 0 ? [`${receiver.forged()} deliveries were not signed`] : []),
  ];
}

/** Checks that every follower received every event of its stream once and in order. */
async function misfollowed({ db, followers }: Field): Promise<string[]> {
  const faults = followers.map(async ({ stream, places }) => {
    const { rows } = await db.query<{ seq: number }>('SELECT seq FROM streams WHERE stream = $1', [
      stream,
    ]);
    const head = rows[0]?.seq ?? 0;
    await eventually(stream, async () => places().length >= head, waitMsMax).catch(() => undefined);
    const isWhole = places().length === head && places().every((place, at) => place === at + 1);
    return isWhole ? [] : [`${stream}: of 1 to ${head} came ${places().join(' ')}`];
  });
  return (await Promise.all(faults)).flat();
}

async function stillRunning({ platform }: Field): Promise<string[]> {
  const connection = await Connection.connect({ address: platform.facts.temporalAddress });
  const client = new Client({ connection });
  const count = async (): Promise<number> =>
    (await client.workflow.count(`ExecutionStatus = 'Running'`)).count;
  try {
    await eventually('no workflow running', async () => (await count()) === 0, waitMsMax);
    return [];
  } catch {
    return [`${await count()} workflows still run`];
  } finally {
    await connection.close();
  }
}
