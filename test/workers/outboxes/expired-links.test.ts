import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { expiredLinks } from '../../../workers/outboxes/sweeps/expired-links.ts';
import { beginSession, call, newLink } from '../../support/http/client.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();
const { api_key: token } = own;
let db: Db;
beforeAll(() => {
  db = openTestDb(databaseUrl);
});
afterAll(() => db.end());

interface Told {
  readonly type: string;
  readonly previous: { readonly status?: string } | null;
  readonly data: { readonly object: { readonly status: string } };
}

async function expiriesOf(link: string): Promise<Told[]> {
  const { body } = await call('GET', `/v2/events?stream=link:${link}`, { token });
  return (body['items'] as Told[]).filter(({ type }) => type === 'link.expired');
}

/** Moves the expiry of these links into the past. */
async function end(links: readonly string[]): Promise<void> {
  await db.query(
    "UPDATE links SET expires_at = now() - interval '1 second' WHERE link_uuid = ANY ($1)",
    [links],
  );
}

const stateOf = async (link: string): Promise<unknown> =>
  (await call('GET', `/v2/${link}?format_type=J`)).body['status'];
const warned: unknown[] = [];
const log = { warn: (told: object): unknown => warned.push(told) };
const sweep = () =>
  expiredLinks({ db, ids: randomIds, clock: () => new Date(), log }).drain(
    new AbortController().signal,
  );

/** Makes the database refuse to expire this link. */
async function forbidEnd(link: string): Promise<() => Promise<void>> {
  const name = `keep_${link.replaceAll('-', '_')}`;
  await db.query(
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql
     AS $$ BEGIN RAISE 'not this one'; END $$`,
  );
  await db.query(
    `CREATE TRIGGER ${name} BEFORE UPDATE ON links FOR EACH ROW
     WHEN (NEW.link_uuid = '${link}' AND NEW.status = 'expired') EXECUTE FUNCTION ${name}()`,
  );
  return async () => {
    await db.query(`DROP TRIGGER ${name} ON links`);
    await db.query(`DROP FUNCTION ${name}()`);
  };
}

describe('an expired link', () => {
  it('is expired for readers at once, and gets one event with its previous status', async () => {
    const soon = new Date(Date.now() + 3600_000).toISOString();
    const links = [await newLink(), await newLink({ not_before: soon }), await newLink()];
    const [, , paused = ''] = links;
    await call('PATCH', `/v2/${paused}`, { token, body: { paused: true } });
    await end(links);
    expect(await Promise.all(links.map(stateOf))).toEqual(['expired', 'expired', 'expired']);
    for (const [index, previous] of ['active', 'scheduled', 'paused'].entries()) {
      const link = links[index] ?? '';
      await eventually('the event', async () => (await expiriesOf(link)).length > 0);
      await sweep();
      expect(await expiriesOf(link)).toEqual([
        expect.objectContaining({
          previous: { status: previous },
          data: { object: expect.objectContaining({ status: 'expired' }) },
        }),
      ]);
    }
    expect(await Promise.all(links.map(stateOf))).toEqual(['expired', 'expired', 'expired']);
  });

  it('gets one event when several workers sweep at the same time', async () => {
    const links = await Promise.all(Array.from({ length: 20 }, () => newLink()));
    await end(links);
    await Promise.all(Array.from({ length: 6 }, () => sweep()));
    const told = await Promise.all(links.map(expiriesOf));
    expect(told.map((events) => events.length)).toEqual(links.map(() => 1));
  });

  it('does not block others when its update fails, and gets its event later', async () => {
    const [stuck, behind] = [await newLink(), await newLink()];
    const allowEnd = await forbidEnd(stuck);
    try {
      await end([stuck]);
      await end([behind]);
      await sweep();
      expect(await expiriesOf(behind)).toHaveLength(1);
      expect(await expiriesOf(stuck)).toEqual([]);
      expect(warned).toMatchObject([{ row: stuck, err: { message: 'not this one' } }]);
    } finally {
      await allowEnd();
    }
    await sweep();
    expect(await expiriesOf(stuck)).toHaveLength(1);
  });

  it('stays reserved until the session that leased it ends', async () => {
    const link = await newLink({ single_use: true });
    const session = await beginSession(link);
    await end([link]);
    await sweep();
    expect([await stateOf(link), await expiriesOf(link)]).toEqual(['reserved', []]);
    await session.step('cancel');
    expect(await stateOf(link)).toBe('expired');
    await sweep();
    expect(await expiriesOf(link)).toHaveLength(1);
  });

  it('gets no event when it was deleted, or has not expired yet', async () => {
    const deleted = await newLink();
    await call('DELETE', `/v2/${deleted}`, { token });
    await end([deleted]);
    const running = await newLink({ expires_at: new Date(Date.now() + 3600_000).toISOString() });
    await sweep();
    expect([await expiriesOf(deleted), await expiriesOf(running)]).toEqual([[], []]);
    expect(await stateOf(running)).toBe('active');
  });
});
