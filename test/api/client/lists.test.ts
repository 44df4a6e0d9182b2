import { afterAll, describe, expect, it } from 'vitest';
import { createClient, type Event } from '../../../client/index.ts';
import { beginSession, clientOf, collecting, newLink } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { openGate } from '../../support/stand-ins/gate.ts';

const { baseUrl, own } = ownPlatform();
const { app_id, account_id, api_key } = own;
const client = clientOf(api_key);
const gate = await openGate(baseUrl);

afterAll(() => gate.stop());

const behind = () => createClient({ baseUrl: gate.url, token: api_key, retries: { baseMs: 1 } });
const since = (before: number): string[] => gate.calls.slice(before).map(({ target }) => target);

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('the iterator of a list', () => {
  it('returns each item once by cursor, even if items are added meanwhile', async () => {
    const reference_id = `each-${process.pid}`;
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.unshift(await newLink({ reference_id }));
    const seen: string[] = [];
    const before = gate.calls.length;
    const query = { account_id, app_id, search: reference_id, page_size: 2 };
    for await (const { link_uuid } of behind().links.list.each(query)) {
      seen.push(link_uuid);
      await newLink({ reference_id });
    }
    expect(seen).toEqual(made);
    expect(since(before).map((target) => target.includes('cursor='))).toEqual([false, true, true]);
  });

  it('uses page numbers for lists without a cursor', async () => {
    const other = await newAccount(`pages-${process.pid}`);
    const account = { account_id: other.account_id };
    const paging = createClient({ baseUrl: gate.url, token: other.api_key });
    const made = [other.api_key.slice(0, 20)];
    const add = async (): Promise<string> => {
      const body = { name: 'a key', roles: ['VIEWER' as const] };
      return (await clientOf(other.api_key).apiKeys.create({ ...account, body })).key_id;
    };
    for (let count = 0; count < 4; count += 1) made.unshift(await add());
    const seen: string[] = [];
    const before = gate.calls.length;
    for await (const each of paging.apiKeys.list.each({ ...account, page_size: 2 })) {
      seen.push(each.key_id);
      // A key added at the front moves one item to the next page, so that item is returned twice.
      if (seen.length === 1) await add();
    }
    expect(new Set(seen)).toEqual(new Set(made));
    expect(seen).toHaveLength(6);
    const pages = since(before).map((target) => new URL(target, baseUrl).searchParams.get('page'));
    expect(pages).toEqual([null, '2', '3']);
  });

  it('requests a page only when it is needed', async () => {
    const query = { account_id, app_id, page_size: 1 };
    const before = gate.calls.length;
    for await (const link of behind().links.list.each(query)) {
      expect(link.app_id).toBe(app_id);
      break;
    }
    const nothing = behind().links.list.each({ ...query, search: 'nobody made this' });
    expect(await collected(nothing)).toEqual([]);
    expect(since(before)).toHaveLength(2);
  });

  it('ends at an empty page, even if that page announces more', async () => {
    const headers = { 'content-type': 'application/json' };
    const pages = [
      { items: [], next_after: '7', has_more: true },
      { items: [], page: 1, pages: 9, next_cursor: 'on' },
    ];
    for (const page of pages) {
      gate.next({ status: 200, headers, body: JSON.stringify(page) });
      expect(await collected(behind().events.list.each())).toEqual([]);
    }
  });
});

describe('events in the client', () => {
  it('are returned one by one in order across pages', async () => {
    const session = await collecting(await newLink());
    const stream = `trust-check:${session.id}`;
    const all = await collected(client.events.list.each({ stream, limit: 2 }));
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
    expect(all.length).toBeGreaterThan(3);
    const own = clientOf(session.token).trustChecks.events.each({ id: session.id, limit: 3 });
    expect(await collected(own)).toEqual(all);
  });

  it('can be followed through connection failures without loss or repeats', async () => {
    const session = await beginSession(await newLink());
    const seen: Event[] = [];
    const following = { stream: `trust-check:${session.id}`, limit: 2 };
    const feed = behind().events.list.follow(following, { everyMs: 5 });
    for await (const event of feed) {
      seen.push(event);
      if (event.type === 'trust_check.created') {
        gate.next('cut', 'refuse', { status: 503 });
        await session.lead('open');
        await session.lead('cancel');
      }
      if (event.type === 'trust_check.canceled') break;
    }
    const all = await collected(client.events.list.each(following));
    expect(seen).toEqual(all);
    expect(all.at(-1)?.type).toBe('trust_check.canceled');
  });

  it('resume from a stored cursor', async () => {
    const session = await collecting(await newLink());
    const following = { stream: `trust-check:${session.id}`, limit: 2 };
    const all = await collected(client.events.list.each(following));
    const first: Event[] = [];
    const feed = client.events.list.follow(following);
    expect(feed.after).toBe('0');
    for await (const event of feed) {
      first.push(event);
      if (first.length === 3) break;
    }
    // The cursor covers two events in whole pages. The third is returned again and has the same id.
    const rest = client.events.list.follow({ ...following, after: feed.after });
    const second: Event[] = [];
    for await (const event of rest) {
      second.push(event);
      if (event.event_id === all.at(-1)?.event_id) break;
    }
    expect(second).toEqual(all.slice(2));
  });

  it('end when the reader aborts or the service refuses', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const options = { everyMs: 60_000, signal: stop.signal };
    const read = async (): Promise<never> => {
      for await (const _ of client.events.list.follow({ stream: 'trust-check:none' }, options));
      throw new Error('it ended');
    };
    const reading = read();
    stop.abort(reason);
    await expect(reading).rejects.toBe(reason);
    await expect(read()).rejects.toBe(reason);
    const refused = client.events.list.follow({}, { token: 'tk_live_nobody' });
    await expect(refused[Symbol.asyncIterator]().next()).rejects.toMatchObject({ status: 401 });
  });
});
