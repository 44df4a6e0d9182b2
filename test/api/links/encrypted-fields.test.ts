import { afterAll, describe, expect, it } from 'vitest';
import { randomIds } from '../../../db/ids.ts';
import { call, codeFor, collecting, newNumber, withAffidavit } from '../../support/http/client.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, foreign, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const mark = `mark${randomIds.bytes(12).toString('hex')}`;
const metadata = { order: `${mark}-order` };
const transaction_data = { amount: `${mark}-amount` };
const texts = { title: `${mark} Über title`, reference_id: `${mark}/reference` };

/** Returns the tables with a row that contains the text in plain or hexadecimal form. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const hex = Buffer.from(text).toString('hex');
  const found = await Promise.all(
    rows.map(async ({ name }) => {
      const { rowCount } = await db.query(
        `SELECT 1 FROM ${name} t WHERE t::text ILIKE '%' || $1 || '%' OR t::text ILIKE '%' || $2 || '%'`,
        [text, hex],
      );
      return rowCount ? [name] : [];
    }),
  );
  return found.flat();
}

const create = async ({ app_id, api_key: token }: typeof own): Promise<string> => {
  const body = { ...texts, metadata, transaction_data, required_proofs: ['phone'] };
  const made = await call('PUT', `/v2/link/${app_id}`, { token, body });
  expect(made.body).toMatchObject({ ...texts, metadata });
  return String(made.body['link_uuid']);
};
const token = own.api_key;
const get = async (path: string) => (await call('GET', path, { token })).body;

describe('title, reference, metadata and transaction data of a link', () => {
  it('are stored encrypted in every table, from the creation to the affidavit', async () => {
    const link_uuid = await create(own);
    expect(await get(`/v2/raw/${link_uuid}`)).toMatchObject({
      ...texts,
      metadata,
      transaction_data,
    });
    const changed = { title: `${mark} changed`, metadata: { order: `${mark}-changed` } };
    const patched = await call('PATCH', `/v2/${link_uuid}`, { token, body: changed });
    expect(patched.body).toMatchObject({ ...changed, reference_id: texts.reference_id });
    const session = await collecting(link_uuid);
    const number = newNumber();
    await session.step('phone/code', { phone_number: number });
    await session.step('proofs/phone', { code: await codeFor(number) });
    await withAffidavit(session);
    expect(await get(`/v2/trust-checks/${session.id}`)).toMatchObject({
      reference_id: texts.reference_id,
    });
    const sent = { send_to_email: 'sealed@example.test', recipient_name: 'Example person' };
    const body = { ...sent, ...texts };
    await call('POST', `/v2/link/send/${own.app_id}`, { token, body });
    await eventually('the mail', async () => (await tablesWith(sent.send_to_email)).length > 0);
    expect(await tablesWith(mark)).toEqual([]);
    const cleared = { title: null, metadata: {} };
    const empty = await call('PATCH', `/v2/${await create(own)}`, { token, body: cleared });
    expect(empty.body).toMatchObject(cleared);
  });

  it('have other search digests in another account', async () => {
    const uuids = [await create(own), await create(own), await create(foreign)];
    const { rows } = await db.query<{ link_uuid: string; digests: string[] }>(
      `SELECT link_uuid, words_blind || encode(reference_blind, 'hex')
         || ARRAY(SELECT encode(d, 'hex') FROM unnest(metadata_digests) d) AS digests
       FROM links WHERE link_uuid = ANY ($1)`,
      [uuids],
    );
    const [one, other, theirs] = uuids.map(
      (uuid) => rows.find((row) => row.link_uuid === uuid)?.digests ?? [],
    );
    // Four words, the reference and one metadata entry.
    expect(one).toHaveLength(6);
    expect(other).toEqual(one);
    expect(theirs).toHaveLength(6);
    expect(theirs?.filter((digest) => one?.includes(digest))).toEqual([]);
  });
});

describe('the reference of a link', () => {
  it('is in each event of the link and of its checks, in every way of reading', async () => {
    const link_uuid = await create(own);
    const session = await collecting(link_uuid);
    const ofLink = await get(`/v2/events?stream=link:${link_uuid}`);
    const ofCheck = await get(`/v2/trust-checks/${session.id}/events`);
    const items = [ofLink, ofCheck].flatMap(({ items: each }) => each as { event_id: string }[]);
    expect(items.length).toBeGreaterThan(2);
    for (const item of items) {
      expect(item).toMatchObject({ data: { object: { reference_id: texts.reference_id } } });
      expect(JSON.stringify(await get(`/v2/events/${item.event_id}`))).toBe(JSON.stringify(item));
    }
    await call('DELETE', `/v2/${link_uuid}`, { token });
    const after = await get(`/v2/events?stream=link:${link_uuid}`);
    expect(JSON.stringify(after['items'])).toContain(JSON.stringify(ofLink['items']).slice(1, -1));
  });
});
