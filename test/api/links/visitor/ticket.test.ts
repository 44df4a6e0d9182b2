import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { accountOwner } from '../../../../db/sealing/sealed.ts';
import { beginSession, call, newLink, type Answer } from '../../../support/http/client.ts';
import { ownSealer } from '../../../support/keys/own-sealer.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, foreign, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const sealer = ownSealer(db);
afterAll(() => db.end());

const at = `/v2/ticket/${own.app_id}`;
const report = {
  subject: 'The camera does not start',
  description: 'It shows <b>nothing</b>.\nSince yesterday.',
  contact_email: 'subject@example.test',
  context: { app_version: '4.1.0' },
};

interface Row {
  readonly [name: string]: unknown;
  readonly account_id: number;
  readonly report_sealed: Buffer;
}

async function rowOf({ body }: Answer): Promise<Row> {
  const { rows } = await db.query<Row>('SELECT * FROM tickets WHERE ticket_id = $1', [
    body['ticket_id'],
  ]);
  const [row] = rows;
  if (!row) throw new Error('no such ticket');
  return row;
}

async function reportOf(answer: Answer): Promise<unknown> {
  const { account_id, report_sealed } = await rowOf(answer);
  const context = `tickets|report|${String(answer.body['ticket_id'])}`;
  const opened = await sealer.open(accountOwner(account_id), context, report_sealed);
  return JSON.parse(opened.toString());
}

describe('a ticket', () => {
  it('is stored for the account of the app with its text encrypted', async () => {
    const made = await call('POST', at, { body: { ...report, severity: 'high' } });
    expect(made.status).toBe(200);
    expect(made.body).toEqual({
      ticket_id: expect.stringMatching(/^tkt_[0-9a-z]{26}$/) as string,
      status: 'open',
      created_at: expect.stringMatching(/Z$/) as string,
    });
    expect(await rowOf(made)).toMatchObject({
      account_id: own.account_id,
      app_id: own.app_id,
      link_uuid: null,
      severity: 'high',
      created_by: null,
    });
    expect(await reportOf(made)).toEqual(report);
    const { rows } = await db.query<{ text: string }>(
      'SELECT t::text AS text FROM tickets t WHERE ticket_id = $1',
      [made.body['ticket_id']],
    );
    for (const text of ['camera', 'subject@', '4.1.0']) expect(rows[0]?.text).not.toContain(text);
  });

  it('of a link records the link and an authenticated creator', async () => {
    const uuid = await newLink();
    for (const token of [own.api_key, own.member.session_token, foreign.api_key]) {
      const made = await call('POST', `${at}/${uuid}`, { body: report, token });
      expect(await rowOf(made)).toMatchObject({ link_uuid: uuid, severity: 'normal' });
      expect((await rowOf(made))['created_by']).toMatch(/^(pu_|tk|ak|key)/);
    }
  });

  it('may be empty', async () => {
    const made = [await call('POST', at), await call('POST', at, { body: {} })];
    for (const answer of made) expect(await reportOf(answer)).toEqual({});
  });

  it('is created once per idempotency key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const ask = (body: unknown): Promise<Answer> => call('POST', at, { body, headers });
    const first = await ask(report);
    const again = await ask(report);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await ask({});
    expect([other.status, other.body['code']]).toEqual([409, 'idempotency_mismatch']);
  });

  it.each([
    [{ subject: 'x'.repeat(201) }],
    [{ subject: '' }],
    [{ subject: 1 }],
    [{ description: 'x'.repeat(10_001) }],
    [{ description: 'NUL \u0000' }],
    [{ severity: 'urgent' }],
    [{ contact_email: 'nobody' }],
    [{ contact_email: 'a@example.test\r\nBcc: b@example.test' }],
    [{ context: 'text' }],
    [{ context: { 'a b': 'x' } }],
    [{ context: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, 'x'])) }],
    [[]],
  ])('with %j is rejected', async (body) => {
    expect((await call('POST', at, { body })).status).toBe(422);
  });

  it('returns 404 for an unknown app or link', async () => {
    const uuid = await newLink();
    const gone = await newLink();
    await call('DELETE', `/v2/${gone}`, { token: own.api_key });
    for (const path of [
      '/v2/ticket/none',
      `${at}/none`,
      `${at}/${gone}`,
      `/v2/ticket/${foreign.app_id}/${uuid}`,
    ]) {
      const { status, body } = await call('POST', path, { body: report });
      expect([status, body['code']], path).toEqual([404, 'not_found']);
    }
  });

  it('is refused with an invalid credential', async () => {
    const { token } = await beginSession(await newLink());
    for (const bad of ['nonsense', token]) {
      expect((await call('POST', at, { body: report, token: bad })).status).toBe(401);
    }
  });

  it('is limited per address and hour', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.77' };
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => call('POST', at, { body: {}, headers })),
    );
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(5);
    expect(limited[0]?.body['code']).toBe('rate_limited');
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  });
});
