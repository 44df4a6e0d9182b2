import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOf, usualTimers } from '../../../activities/trust-checks/start.ts';
import { createTemporal } from '../../../api/temporal.ts';
import { transaction, type Db } from '../../../db/client.ts';
import { lockLink, removeLink } from '../../../db/queries/links.ts';
import { findTrustCheck } from '../../../db/queries/trust-checks.ts';
import { beginUpdate } from '../../../workflows/trust-check/messages.ts';
import { beginSession, call, newLink } from '../../support/http/client.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connectClient } from '../../support/platform/temporal-client.ts';

const { own, databaseUrl } = ownPlatform();
const { api_key: token } = own;
let db: Db;
beforeAll(() => {
  db = openTestDb(databaseUrl);
});
afterAll(() => db.end());

/** Counts the sessions of a link by state and reason code. */
async function statesOf(link: string): Promise<Record<string, number>> {
  const { rows } = await db.query<{ state: string; count: number }>(
    `SELECT concat_ws(' ', status, reason_code) AS state, count(*) AS count FROM trust_checks
     WHERE link_uuid = $1 GROUP BY 1`,
    [link],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

const isMarked = async (link: string): Promise<unknown> =>
  (await db.query('SELECT ends_sessions FROM links WHERE link_uuid = $1', [link])).rows[0]
    ?.ends_sessions;

/** Adds sessions that have only a row, older than all others. */
async function addOrphans(link: string, like: string, count: number): Promise<void> {
  const { rows } = await db.query<{ names: string }>(
    `SELECT string_agg(column_name, ', ') AS names FROM information_schema.columns
     WHERE table_name = 'trust_checks'
       AND column_name NOT IN ('link_session_id', 'created_at')`,
  );
  const names = rows[0]?.names ?? '';
  await db.query(
    `INSERT INTO trust_checks (link_session_id, created_at, ${names})
     SELECT t.link_session_id || 'o' || n, t.created_at - interval '1 hour', ${names}
     FROM trust_checks t, generate_series(1, $3::int) n
     WHERE t.link_uuid = $1 AND t.link_session_id = $2`,
    [link, like, count],
  );
}

describe('a deleted link', () => {
  it('ends all its sessions, even more than one batch', async () => {
    const link = await newLink();
    const sessions = [await beginSession(link), await beginSession(link)];
    await addOrphans(link, sessions[0]?.id ?? '', 130);
    expect(await statesOf(link)).toEqual({ created: 132 });
    expect((await call('DELETE', `/v2/${link}`, { token })).status).toBe(200);
    await eventually('the end of all', async () => !(await isMarked(link)), 60_000);
    expect(await statesOf(link)).toEqual({ 'canceled link_deleted': 132 });
    for (const { id } of sessions) {
      const { body } = await call('GET', `/v2/events?stream=trust-check:${id}`, { token });
      const told = (body['items'] as { type: string }[]).map(({ type }) => type);
      expect(told).toEqual(['trust_check.created', 'trust_check.canceled']);
    }
  });

  it('ends its sessions when the process that deleted it died', async () => {
    const link = await newLink();
    await beginSession(link);
    await transaction(db, async (tx) => {
      await lockLink(tx, link);
      await removeLink(tx, link, new Date());
    });
    await eventually('its end', async () => (await statesOf(link))['canceled link_deleted'] === 1);
    await eventually('no mark', async () => !(await isMarked(link)));
  });

  it('ends a session that began during the deletion', async () => {
    const link = await newLink();
    const begin = () =>
      call('POST', '/v2/trust-checks', { body: { link_uuid: link, client: 'web' } });
    const begun = Promise.all(Array.from({ length: 16 }, begin));
    await eventually('one of them', async () => Object.keys(await statesOf(link)).length > 0);
    expect((await call('DELETE', `/v2/${link}`, { token })).status).toBe(200);
    const answers = (await begun).map(({ status }) => status);
    // 503 means that the API did not wait for the answer; the session ends all the same.
    expect(answers.filter((status) => ![201, 404, 409, 503].includes(status))).toEqual([]);
    await eventually('the end of all', async () => !(await isMarked(link)));
    const states = await statesOf(link);
    expect(Object.keys(states)).toEqual(['canceled link_deleted']);
  });

  it('has sessions that a late request cannot begin again', async () => {
    const link = await newLink();
    const { id } = await beginSession(link);
    await addOrphans(link, id, 1);
    await call('DELETE', `/v2/${link}`, { token });
    await eventually('the end of all', async () => !(await isMarked(link)));
    const late = await findTrustCheck(db, `${id}o1`);
    if (!late) throw new Error('no session');
    const client = await connectClient();
    try {
      const temporal = createTemporal(client, 20_000);
      const start = startOf(late, usualTimers, null);
      const begun = temporal.startWithUpdate(
        'trustCheck',
        start,
        beginUpdate,
        [{ opened: true }],
        `begin/${id}o1/mobile`,
      );
      await expect(begun).rejects.toMatchObject({ code: 'invalid_state' });
    } finally {
      await client.connection.close();
    }
  });
});
