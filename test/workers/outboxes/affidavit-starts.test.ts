import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../../db/client.ts';
import { listPendingAffidavits } from '../../../db/queries/affidavits.ts';
import { plannedAffidavits } from '../../../workers/outboxes/starts/affidavit-starts.ts';
import { passedSession, withAffidavit } from '../../support/http/client.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connectClient } from '../../support/platform/temporal-client.ts';

const { databaseUrl } = ownPlatform();
const log = pino({ enabled: false });
let db: Db;
let client: Client;

beforeAll(async () => {
  db = openTestDb(databaseUrl);
  client = await connectClient();
});
afterAll(async () => {
  await client.connection.close();
  await db.end();
});

const sessionsMax = 40;

describe('planned affidavits', () => {
  it('are issued once when several relays see them', async () => {
    const over = new AbortController();
    const relayed = { seen: 0 };
    const relays = Array.from({ length: 4 }, async () => {
      const { drain } = plannedAffidavits({ db, client, clock: () => new Date(), log });
      while (!over.signal.aborted) {
        relayed.seen += (await listPendingAffidavits(db, { limit: 1, without: [] })).length;
        await drain(over.signal);
      }
    });
    try {
      const ids: string[] = [];
      // The platform's own worker also relays, and may win every start of a round.
      while (ids.length === 0 || (relayed.seen === 0 && ids.length < sessionsMax)) {
        const sessions = await Promise.all(Array.from({ length: 4 }, () => passedSession()));
        await Promise.all(sessions.map(withAffidavit));
        ids.push(...sessions.map(({ id }) => id));
      }
      const { rows } = await db.query(
        `SELECT a.status::text, count(e.event_id)::int AS told
         FROM affidavits a LEFT JOIN events e
           ON e.object_id = a.link_session_id AND e.type = 'affidavit.available'
         WHERE a.link_session_id = ANY ($1) GROUP BY a.affidavit_id`,
        [ids],
      );
      expect(rows).toEqual(ids.map(() => ({ status: 'available', told: 1 })));
      expect(relayed.seen).toBeGreaterThan(0);
      await eventually('nothing left to start', async () => {
        const left = await listPendingAffidavits(db, { limit: 100, without: [] });
        return left.every(({ link_session_id }) => !ids.includes(link_session_id));
      });
    } finally {
      over.abort();
      await Promise.all(relays);
    }
  });
});
