import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { sealLoginEmail } from '../../activities/identity/email/answer.ts';
import { makeAccount, makeApp, makeKey, makeMember } from '../../cli/admin/admin.ts';
import { developmentUrls } from '../../cli/data-directory/database-urls.ts';
import { randomIds } from '../../db/ids.ts';
import { databaseRoles } from '../../db/rights/roles.ts';
import type { Address } from '../../domain/identity/email-address.ts';
import { commandHere } from '../support/commands/command-here.ts';
import { ownDirectory } from '../support/commands/run-command.ts';
import { call } from '../support/http/client.ts';
import { ownSealer } from '../support/keys/own-sealer.ts';
import { audited } from '../support/people/audited.ts';
import { newEmailUser, signInBy } from '../support/people/email-users.ts';
import { joinBy, newAddress } from '../support/people/mailbox.ts';
import { openTestDb } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { baseUrl, databaseUrl, dataDir, own } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const now = (): Date => new Date();
let last = 0;
const newId = (): string => `admin-${process.pid}-${Date.now()}-${(last += 1)}`;
const seal = (address: Address) => sealLoginEmail(ownSealer(db), address);
const newAccount = (): Promise<number> => makeAccount(db, { name: 'An account' }, now());

describe('the admin functions', () => {
  it('create a working account, app, API key and member', async () => {
    const id = await makeAccount(db, { name: '  Example Ltd ', verified: true }, now());
    const account = String(id);
    const appId = newId();
    const app = { appId, account, name: 'An app', kind: 'sdk' };
    expect(await makeApp(db, app, baseUrl, now())).toBe(appId);
    const token = await makeKey(db, { account, name: 'the first', role: 'ADMIN' }, now());
    expect(token).toMatch(/^tk_live_[0-9a-z]{12}_[0-9a-z]{32}$/);
    const shown = await call('GET', `/v2/accounts/${id}`, { token });
    expect(shown.body).toMatchObject({ name: 'Example Ltd', verified: true });
    const made = await call('GET', `/v2/accounts/${id}/apps/${appId}`, { token });
    expect(made.body).toMatchObject({
      kind: 'sdk',
      redirect_url: `${baseUrl}/success/by-app/${appId}`,
      default_proofs: ['device', 'nfc_passport', 'phone'],
    });
    expect((await call('PUT', `/v2/link/${appId}`, { token, body: {} })).status).toBe(200);
    const person = await newEmailUser(db);
    const member = { polyUserId: person.polyUserId, account, role: 'polyadmin' };
    expect(await makeMember(db, member, seal, now())).toBe('POLYADMIN');
    const lowered = { ...member, role: 'ADMIN,VIEWER' };
    expect(await makeMember(db, lowered, seal, now())).toBe('VIEWER,ADMIN');
    const switched = await call('POST', '/v2/session/switch_account', {
      token: person.token,
      body: { account_id: id },
    });
    expect(switched.body['roles']).toEqual(['VIEWER', 'ADMIN']);
    const rows = await audited({ ...own, account_id: id, api_key: token });
    expect(rows.map(({ action, actor }) => [action, actor])).toEqual(
      ['member.updated', 'member.added', 'api_key.created', 'app.created', 'account.created'].map(
        (action) => [action, 'operator'],
      ),
    );
    expect(JSON.stringify(rows)).not.toContain(token.slice(21));
  });

  it('make the owner of an address a member, now or at their first sign-in', async () => {
    const account = String(await newAccount());
    const member = (email: string, role = 'admin'): Promise<string> =>
      makeMember(db, { email, account, role }, seal, now());
    const held = async (id: string): Promise<unknown> => {
      const { rows } = await db.query(
        'SELECT roles FROM memberships WHERE poly_user_id = $1 AND account_id = $2',
        [id, Number(account)],
      );
      return rows[0]?.roles ?? null;
    };
    const [known, unknown] = [newAddress(), newAddress()];
    const { polyUserId } = await signInBy(db, known);
    expect(await member(known)).toBe('ADMIN');
    expect(await held(polyUserId)).toEqual(['ADMIN']);
    expect(await member(known, 'viewer')).toBe('VIEWER');
    expect(await held(polyUserId)).toEqual(['VIEWER']);
    expect(await member(unknown)).toBe('ADMIN');
    expect(await member(unknown, 'polyadmin')).toBe('POLYADMIN');
    const { accepted } = await joinBy(unknown, Number(account));
    expect(accepted.body).toMatchObject({ account_id: Number(account), roles: ['POLYADMIN'] });
    for (const [given, fault] of [
      [{ email: 'nobody' }, '--email: '],
      [{}, 'name a person'],
      [{ email: known, polyUserId }, 'name a person'],
    ] as const) {
      const made = () => makeMember(db, { ...given, account, role: 'ADMIN' }, seal, now());
      await expect(async () => made()).rejects.toThrow(fault);
    }
  });

  it('create test mode keys, and reject a POLYADMIN key', async () => {
    const account = String(await newAccount());
    const given = { account, name: 'tests', role: 'MEMBER', test: true };
    expect(await makeKey(db, given, now())).toMatch(/^tk_test_/);
    const high = () => makeKey(db, { ...given, role: 'POLYADMIN' }, now());
    await expect(async () => high()).rejects.toThrow(/^--role: /);
  });

  it.each([
    ['no name', () => makeAccount(db, { name: ' ' }, now()), '--name: '],
    ['controls in a name', () => makeAccount(db, { name: 'a\u0007' }, now()), '--name: '],
  ])('reject %s in one line', async (_what, make, fault) => {
    await expect(async () => make()).rejects.toThrow(fault);
  });

  it('reject unknown accounts and persons, invalid values and app ids in use', async () => {
    const account = String(await newAccount());
    const app = (change: object) =>
      makeApp(db, { appId: newId(), account, name: 'a', kind: 'sdk', ...change }, baseUrl, now());
    const member = (change: object) =>
      makeMember(db, { polyUserId: 'pu_nobody', account, role: 'ADMIN', ...change }, seal, now());
    const refused: [() => Promise<unknown>, string][] = [
      [() => app({ appId: 'Not-An-Id' }), 'app_id: '],
      [() => app({ appId: 'link' }), 'link: no app can have this id'],
      [() => app({ appId: own.app_id }), `${own.app_id}: another app has this id`],
      [() => app({ kind: 'web' }), '--name and --kind: '],
      [() => app({ account: '2147483646' }), 'there is no account 2147483646'],
      [() => app({ account: '1 OR 1=1' }), '--account: must be the number of an account'],
      [() => member({}), 'there is no such person'],
      [() => member({ role: 'OWNER' }), '--role: '],
    ];
    for (const [make, fault] of refused) await expect(async () => make()).rejects.toThrow(fault);
  });
});

describe('trustcheck admin', () => {
  it('sets up an empty database, and the audit log verifies', async () => {
    const directory = await ownDirectory();
    const name = `admin_${randomIds.bytes(6).toString('hex')}`;
    const server = new pg.Client({ connectionString: databaseUrl });
    await server.connect();
    await server.query(`CREATE DATABASE ${name} OWNER ${databaseRoles.owner}`);
    const made = databaseUrl.replace(/\/[^/]+$/, `/${name}`);
    const env = { MIGRATIONS_DATABASE_URL: developmentUrls(made).owner };
    const run = (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      commandHere(join(directory.path, 'state'), words, { ...env, ...more });
    try {
      const made = await run(['admin', 'account', '--name', 'Example Ltd']);
      expect(made).toEqual({ code: 0, stdout: '1\n', stderr: '' });
      const refused = await run(['admin', 'key', '--account', '2', '--name', 'x']);
      expect(refused).toEqual({ code: 1, stdout: '', stderr: 'there is no account 2\n' });
      const none = await run(['audit', 'verify', '--account', '2']);
      expect(none).toEqual({ code: 1, stdout: '', stderr: 'there is no account 2\n' });
      const roleNames = 'VIEWER, MEMBER, REVIEWER, ADMIN; several by commas';
      for (const [words, stderr] of [
        ['key --account abc --name k', '--account: must be the number of an account'],
        ['key --account 1 --name k --role BOSS', `--role: must be one of ${roleNames}`],
        [
          'member --account 1 --role ADMIN',
          'name a person by poly_user_id or by --email, and not by both',
        ],
      ] as const) {
        const wrong = await run(['admin', ...words.split(' ')]);
        expect(wrong).toEqual({ code: 2, stdout: '', stderr: `${stderr}\n` });
      }
      const member = ['admin', 'member', '--email', 'a@example.test', '--account', '1'];
      await cp(join(dataDir, 'keys'), join(directory.path, 'state', 'keys'), { recursive: true });
      const invited = await run([...member, '--role', 'ADMIN,VIEWER']);
      expect(invited).toEqual({ code: 0, stdout: 'VIEWER,ADMIN\n', stderr: '' });
      const verified = await run(['audit', 'verify']);
      expect([verified.code, verified.stdout]).toEqual([
        0,
        expect.stringMatching(
          /^account 1: 2 rows hold, the last one is [0-9a-f]{64}, no checkpoint yet\n$/,
        ),
      ]);
      // An incompletely configured store is an error, not a store without checkpoints.
      const half = await run(['audit', 'verify'], { S3_BUCKET: 'objects' });
      expect([half.code, half.stdout]).toEqual([
        1,
        expect.stringMatching(
          /^account 1: not compared with its checkpoints: wrong settings: S3_ENDPOINT, .*: required/,
        ),
      ]);
    } finally {
      await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await server.end();
      await directory.remove();
    }
  });

  it('asks for a database URL when none is configured', async () => {
    const directory = await ownDirectory();
    const { code, stderr } = await commandHere(join(directory.path, 'state'), ['audit', 'verify']);
    expect([code, stderr]).toEqual([
      1,
      'no database is known here: set MIGRATIONS_DATABASE_URL, or run npm start\n',
    ]);
    await directory.remove();
  });
});
