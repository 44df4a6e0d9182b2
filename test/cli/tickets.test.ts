import { afterAll, describe, expect, it } from 'vitest';
import { closeTicketOf, ticketsOf } from '../../cli/admin/tickets.ts';
import { developmentUrls } from '../../cli/data-directory/database-urls.ts';
import { commandHere } from '../support/commands/command-here.ts';
import { call, newLink } from '../support/http/client.ts';
import { ownSealer } from '../support/keys/own-sealer.ts';
import { newAccount } from '../support/people/accounts.ts';
import { audited } from '../support/people/audited.ts';
import { openTestDb } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { own, foreign, databaseUrl, dataDir } = ownPlatform();
const db = openTestDb(databaseUrl);
const sealer = ownSealer(db);
afterAll(() => db.end());

interface Shown {
  readonly ticket_id: string;
  readonly report: Record<string, unknown> | null;
}

async function reported(path: string, body: unknown, token?: string): Promise<string> {
  const answer = await call('POST', `/v2/ticket/${path}`, { body, ...(token ? { token } : {}) });
  expect([answer.status, answer.body['status']]).toEqual([200, 'open']);
  return String(answer.body['ticket_id']);
}
const list = async (account: number | string, status = 'open'): Promise<Shown[]> => {
  const given = { account: String(account), status };
  return JSON.parse(await ticketsOf(db, given, sealer, new Date())) as Shown[];
};
const close = (account: number | string, ticketId: string): Promise<string> =>
  closeTicketOf(db, { account: String(account), ticketId }, new Date());

describe('admin tickets', () => {
  it('list the tickets of an account, and no longer list a closed one', async () => {
    const account = await newAccount(`tickets-${process.pid}`);
    const { account_id: id, app_id: app, api_key: token } = account;
    const hostile = { subject: 'no \u001b[2J\u202e camera', context: { app_version: '4.1.0' } };
    const first = await reported(app, hostile);
    const made = await call('PUT', `/v2/${app}`, { token, body: {} });
    const link = String(made.body['link_uuid']);
    const second = await reported(`${app}/${link}`, { severity: 'high' }, token);
    const text = await ticketsOf(db, { account: String(id), status: 'open' }, sealer, new Date());
    for (const unseen of ['\u001b', '\u202e']) expect(text).not.toContain(unseen);
    const shown = JSON.parse(text) as unknown[];
    const common = { app_id: app, status: 'open', created_at: expect.stringMatching(/Z$/) };
    expect(shown).toEqual([
      {
        ...common,
        ticket_id: first,
        link_uuid: null,
        severity: 'normal',
        created_by: null,
        report: hostile,
      },
      {
        ...common,
        ticket_id: second,
        link_uuid: link,
        severity: 'high',
        created_by: token.slice(0, 20),
        report: {},
      },
    ]);
    expect(await close(id, first)).toBe(first);
    expect((await list(id)).map(({ ticket_id }) => ticket_id)).toEqual([second]);
    expect(await list(id, 'closed')).toMatchObject([{ ticket_id: first, status: 'closed' }]);
    const rows = await audited(account);
    expect(rows.map(({ action, actor, object_id }) => [action, actor, object_id])).toEqual([
      ['ticket.closed', 'operator', first],
    ]);
  });

  it('reject a second close, and a close by another account', async () => {
    const ticket = await reported(`${own.app_id}/${await newLink()}`, {});
    const none = (id: number) => `account ${id} has no open ticket ${ticket}`;
    const foreignId = foreign.account_id;
    await expect(close(foreignId, ticket)).rejects.toThrow(none(foreignId));
    expect(await close(own.account_id, ticket)).toBe(ticket);
    await expect(close(own.account_id, ticket)).rejects.toThrow(none(own.account_id));
    await expect(list(2_147_483_646)).rejects.toThrow('there is no account 2147483646');
    await expect(list(own.account_id, 'lost')).rejects.toThrow(/^--status: /);
    await expect(list('1 OR 1=1')).rejects.toThrow(/^--account: /);
  });

  it('work as a command', async () => {
    const ticket = await reported(own.app_id, { subject: 'from a page' });
    const run = (words: string) =>
      commandHere(dataDir, ['admin', 'tickets', ...words.split(' ')], {
        MIGRATIONS_DATABASE_URL: developmentUrls(databaseUrl).owner,
      });
    const of = `--account ${own.account_id}`;
    const listed = await run(`list ${of}`);
    expect([listed.code, listed.stderr]).toEqual([0, '']);
    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({ ticket_id: ticket, report: { subject: 'from a page' } }),
    );
    const closed = await run(`close ${ticket} ${of}`);
    expect(closed).toEqual({ code: 0, stdout: `${ticket}\n`, stderr: '' });
    const again = await run(`close ${ticket} ${of}`);
    expect([again.code, again.stdout]).toEqual([1, '']);
    const wrong = await run(`list ${of} --status lost`);
    expect([wrong.code, wrong.stdout, wrong.stderr.split(':')[0]]).toEqual([2, '', '--status']);
  });
});
