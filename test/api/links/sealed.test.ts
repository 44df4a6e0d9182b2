import { afterAll, describe, expect, it } from 'vitest';
import { randomIds } from '../../../db/ids.ts';
import { call } from '../../client.ts';
import { openTestDb } from '../../harness.ts';
import { ownPlatform } from '../../own-platform.ts';

const { own, foreign, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const mark = `mark-${randomIds.bytes(12).toString('hex')}`;
const metadata = { order: `${mark}-order` };
const transaction_data = { amount: `${mark}-amount` };

/** The tables with a row that has the text, in clear or as the hexadecimal form of its bytes. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const hex = Buffer.from(text).toString('hex');
  const found = await Promise.all(
    rows.map(async ({ name }) => {
      const { rowCount } = await db.query(
        `SELECT 1 FROM ${name} t WHERE t::text LIKE '%' || $1 || '%' OR t::text LIKE '%' || $2 || '%'`,
        [text, hex],
      );
      return rowCount ? [name] : [];
    }),
  );
  return found.flat();
}

const create = async ({ app_id, api_key: token }: typeof own): Promise<string> => {
  const body = { title: mark, metadata, transaction_data };
  const made = await call('PUT', `/v2/link/${app_id}`, { token, body });
  expect(made.body['metadata']).toEqual(metadata);
  return String(made.body['link_uuid']);
};

describe('metadata and transaction data of a link', () => {
  it('are in no table in clear, before and after a change', async () => {
    const uuid = await create(own);
    const token = own.api_key;
    const raw = await call('GET', `/v2/raw/${uuid}`, { token });
    expect(raw.body).toMatchObject({ metadata, transaction_data });
    const changed = { order: `${mark}-changed` };
    const patched = await call('PATCH', `/v2/${uuid}`, { token, body: { metadata: changed } });
    expect(patched.body['metadata']).toEqual(changed);
    // The title is searched by, and so in clear: the search itself works.
    expect(await tablesWith(mark)).toContain('links');
    expect(await tablesWith(`${mark}-`)).toEqual([]);
    const cleared = await call('PATCH', `/v2/${uuid}`, { token, body: { metadata: {} } });
    expect(cleared.body['metadata']).toEqual({});
  });

  it('have other digests in another account', async () => {
    const uuids = [await create(own), await create(own), await create(foreign)];
    const { rows } = await db.query<{ link_uuid: string; digests: Buffer[] }>(
      'SELECT link_uuid, metadata_digests AS digests FROM links WHERE link_uuid = ANY ($1)',
      [uuids],
    );
    const [one, other, theirs] = uuids.map((uuid) => {
      const digests = rows.find((row) => row.link_uuid === uuid)?.digests ?? [];
      return digests.map((digest) => digest.toString('hex'));
    });
    expect(one).toHaveLength(1);
    expect(other).toEqual(one);
    expect(theirs).not.toEqual(one);
  });
});
