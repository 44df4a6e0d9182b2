import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../db/client.ts';
import { countOpenChecks, readBacklog } from '../../db/queries/backlog.ts';
import { fillLogs } from '../support/checks/fill-logs.ts';
import { createDatabase } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

let db: Db;
let drop: () => Promise<void>;
/** Later than the database clock: the worker's clock decides. */
const now = new Date('2101-01-01T12:00:00Z');
const ago = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  await fillLogs(db, { rows: 2, accounts: 1 });
});
afterAll(() => drop());

/** The number of rows that wait in an outbox, and the minutes that the oldest has waited. */
async function waitingIn(outbox: string): Promise<[number, number | null]> {
  const rows = await readBacklog(db, now);
  const row = rows.find((each) => each.outbox === outbox);
  const sinceMs = row?.oldest_at?.getTime();
  const minutes = sinceMs === undefined ? null : (now.getTime() - sinceMs) / 60_000;
  return [Number(row?.waiting), minutes];
}

describe('the backlog of the outboxes', () => {
  it('counts a deleted link from its deletion while it may still end a session', async () => {
    const waiting = () => waitingIn('deleted_links');
    expect(await waiting()).toEqual([0, null]);
    await db.query(
      `UPDATE links SET status = 'deleted', ends_sessions = true, created_at = $1, updated_at = $2`,
      [ago(600), ago(3)],
    );
    expect(await waiting()).toEqual([1, 3]);
    await db.query(`UPDATE trust_checks SET status = 'processing'`);
    expect(await waiting()).toEqual([0, null]);
    await db.query(`UPDATE trust_checks SET status = 'in_review'`);
    expect(await waiting()).toEqual([1, 3]);
    await db.query('UPDATE links SET ends_sessions = false');
    expect(await waiting()).toEqual([0, null]);
  });

  it('counts a device that its vendor revoked while it may still end a check', async () => {
    const waiting = () => waitingIn('ended_devices');
    expect(await waiting()).toEqual([0, null]);
    await db.query(
      `WITH person AS (
         INSERT INTO poly_users (poly_user_id, identity_group_id, kind, created_at)
         VALUES ('pu_1', 'pu_1', 'cert', $1) RETURNING poly_user_id)
       INSERT INTO devices (device_id, poly_user_id, app_id, platform, attested_key_id,
         public_key_spki, evidence_sealed, verdict, signing_kid, created_at, revoked_at, ends_checks)
       SELECT 'dev_1', poly_user_id, 'app-1', 'android', '', '', '', '{}', '', $1, $2, true
       FROM person`,
      [ago(600), ago(7)],
    );
    expect(await waiting()).toEqual([1, 7]);
    await db.query(`UPDATE trust_checks SET device_id = 'dev_1', status = 'processing'`);
    expect(await waiting()).toEqual([0, null]);
    await db.query(`UPDATE trust_checks SET device_id = NULL, status = 'in_review'`);
    await db.query('UPDATE devices SET ends_checks = false');
    expect(await waiting()).toEqual([0, null]);
  });

  it('counts a check with a proof in processing, from its last step', async () => {
    const waiting = () => waitingIn('submissions');
    const { rows } = await db.query('SELECT status, proofs, log FROM trust_checks');
    const [before] = rows;
    const log = JSON.stringify([{ at: ago(3).toISOString() }]);
    const judging = (proof: string) =>
      db.query(`UPDATE trust_checks SET status = 'collecting', proofs = $1, log = $2`, [
        JSON.stringify([{ status: 'passed' }, { status: proof }]),
        log,
      ]);
    await judging('ready');
    expect(await waiting()).toEqual([0, null]);
    await judging('processing');
    expect(await waiting()).toEqual([1, 3]);
    await db.query(`UPDATE trust_checks SET status = 'canceled'`);
    expect(await waiting()).toEqual([0, null]);
    await db.query('UPDATE trust_checks SET status = $1, proofs = $2, log = $3', [
      before?.status,
      JSON.stringify(before?.proofs),
      JSON.stringify(before?.log),
    ]);
  });

  it('counts a calendar from its latest connection', async () => {
    await db.query(
      `INSERT INTO calendar_connections (connection_id, account_id, intent, created_by, status,
         subject_blind, address_sealed, flow_id, created_at, connected_at)
       VALUES ('cc_1', 1, 'routing', 'key', 'connected', '', '', 'cf_1', $1, $2)`,
      [ago(600), ago(2)],
    );
    expect(await waitingIn('calendars')).toEqual([1, 2]);
  });

  it('counts an affidavit from its plan, or from when it failed', async () => {
    await db.query(
      `INSERT INTO affidavits (affidavit_id, link_session_id, account_id, app_id, status,
         created_at)
       SELECT 'af_1', link_session_id, account_id, app_id, 'pending', $1 FROM trust_checks`,
      [ago(600)],
    );
    expect(await waitingIn('affidavits')).toEqual([1, 600]);
    await db.query('UPDATE affidavits SET failed_at = $1', [ago(4)]);
    expect(await waitingIn('affidavits')).toEqual([1, 4]);
  });

  it('counts a mail until it expires by the caller’s clock', async () => {
    await db.query(
      `INSERT INTO email_requests (request_id, purpose, address_blind, address_sealed, token_hash,
         browser_hash, state, created_at, expires_at)
       SELECT 'er_' || n, 'login', '', '', decode(lpad(n::text, 2, '0'), 'hex'), '', 'requested',
         $1::timestamptz, $2::timestamptz + n * interval '1 second'
       FROM generate_series(0, 2) n`,
      [ago(5), now],
    );
    expect(await waitingIn('emails')).toEqual([2, 5]);
  });
});

describe('countOpenChecks', () => {
  it('counts open checks by state, and dates those in processing by their last step', async () => {
    await db.query(
      `INSERT INTO trust_checks (link_session_id, link_uuid, app_id, account_id, client, status,
         proofs, asked, matching, livemode, created_at, submitted_at, log)
       SELECT 'tc_' || minutes, 'link-1', 'app-1', 1, 'web', state, '[]', '{}',
         '{}', true, $1, $1, jsonb_build_array(
           jsonb_build_object('to', 'processing', 'at', $2::text),
           jsonb_build_object('to', state, 'at', $3::timestamptz - minutes * interval '1 minute'))
       FROM (VALUES ('processing', 1), ('processing', 8), ('collecting', 30), ('collecting', 31),
         ('passed', 90)) AS made (state, minutes)`,
      [ago(600), ago(500).toISOString(), now],
    );
    await db.query(`UPDATE trust_checks SET status = 'passed' WHERE status = 'in_review'`);
    const found = await countOpenChecks(db);
    expect(found.toSorted((one, other) => one.state.localeCompare(other.state))).toEqual([
      { state: 'collecting', checks: 2, oldest_at: null },
      { state: 'processing', checks: 2, oldest_at: ago(8) },
    ]);
  });
});
