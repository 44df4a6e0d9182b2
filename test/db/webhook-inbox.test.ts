import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomIds } from '../../db/ids.ts';
import { addToInbox, listInbox, markSignaled } from '../../db/queries/webhook-inbox.ts';
import { createDatabase } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

let store: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  store = await createDatabase(ownPlatform().databaseUrl);
});
afterAll(() => store.drop());

const listed = async (): Promise<string[]> =>
  (await listInbox(store.db, 100, [])).map(({ event_id }) => event_id);

it('events received at the same instant are listed in the order of receipt', async () => {
  const received_at = new Date(Date.UTC(2026, 2, 1));
  const event = { platform: 'conf-b', meeting_key: null, body_sealed: null } as const;
  const add = (event_id: string, at = received_at): Promise<boolean> =>
    addToInbox(store.db, { ...event, event_id, received_at: at });
  const ids = Array.from({ length: 30 }, () => randomIds.make('we'));
  for (const id of ids) expect(await add(id)).toBe(true);
  expect(await listed()).toEqual(ids);
  // A repeated event keeps its place.
  expect(await add(ids[3] ?? '')).toBe(false);
  expect(await listed()).toEqual(ids);
  const later = randomIds.make('we');
  await add(later, new Date(received_at.getTime() + 1));
  expect(await listed()).toEqual([...ids, later]);
  for (const id of [...ids, later]) await markSignaled(store.db, id);
  const next = randomIds.make('we');
  await add(next, new Date(received_at.getTime() + 1));
  expect(await listed()).toEqual([next]);
  const { rows } = await store.db.query(
    'SELECT received_at FROM webhook_inbox WHERE event_id = $1',
    [next],
  );
  expect(rows).toEqual([{ received_at: new Date(received_at.getTime() + 1) }]);
});
