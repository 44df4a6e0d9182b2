import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSessionToken } from '../../../activities/tokens/session-token.ts';
import { phoneLock } from '../../../cli/phone/phone-lock.ts';
import { takeLock } from '../../../cli/platform/lock.ts';
import type { servedProofs } from '../../../workflows/proofs.ts';
import { commandHere } from '../../support/commands/command-here.ts';
import { trustcheck } from '../../support/commands/run-command.ts';
import { call, newLink, newNumber } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl, dataDir, own } = ownPlatform();
let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-phone-'));
  await cp(join(dataDir, 'dev-trust'), join(directory, 'dev-trust'), { recursive: true });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Runs `trustcheck phone …` with its own data directory. */
async function phone(...words: string[]) {
  const { code, stdout, stderr } = await commandHere(directory, ['phone', ...words]);
  return { code, out: stdout, err: stderr };
}

/** Runs `phone` in its own process, and calls `heard` for each part of its stderr. */
async function watched(words: readonly string[], heard: (text: string) => Promise<void>) {
  const { child, ended } = trustcheck(directory, ['phone', ...words]);
  let text = '';
  let calls = Promise.resolve();
  child.stderr?.on('data', (part: Buffer) => {
    text += part.toString();
    calls = calls.then(() => heard(text));
  });
  const { code, stdout, stderr } = await ended;
  await calls;
  return { code, out: stdout, err: stderr };
}

const here = ['--url', baseUrl, '--app', own.app_id];
const sessionIn = (out: string) =>
  readSessionToken(platformKeys(), baseUrl, out.trim(), new Date());

describe('trustcheck phone login', () => {
  it('enrolls a new phone for the person of a session, and prints only the token', async () => {
    const login = await phone('login', ...here, '--token', own.member.session_token);
    expect([login.code, login.err]).toEqual([0, '']);
    expect(login.out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const claims = { sub: own.member.poly_user_id, account_id: own.account_id };
    expect(await sessionIn(login.out)).toMatchObject(claims);
    const devices = await call('GET', '/v2/devices', { token: login.out.trim() });
    expect(devices.status).toBe(200);
  });

  it('signs the same phone in again, in the requested account', async () => {
    const login = await phone('login', ...here, '--account', String(own.account_id));
    expect(await sessionIn(login.out)).toMatchObject({ sub: own.member.poly_user_id });
    const refused = await phone('login', ...here, '--account', '2000000000');
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.err).toContain('credential_invalid');
  });

  it('makes a new phone for the person of a joined session, and names the replaced one', async () => {
    const kept = await readKept('ios');
    const login = await phone('login', ...here, '--token', own.admin.session_token);
    expect([login.code, login.err]).toEqual([0, placeOf(kept)]);
    expect(await sessionIn(login.out)).toMatchObject({ sub: own.admin.poly_user_id });
    expect((await readKept('ios'))['deviceId']).not.toBe(kept['deviceId']);
    const wrong = await phone('login', ...here, '--token', 'none');
    expect([wrong.code, wrong.out]).toEqual([1, '']);
    expect(wrong.err).toMatch(/^refused: 401 .+; --token must be an open session: npm run .+\n$/);
  });

  it('signs in a phone after its check', async () => {
    const proofs = ['device', 'nfc_passport'] as const;
    const link = await newLink({ required_proofs: proofs, requested_claims: ['full_name'] });
    const url = `${baseUrl}/v2/${own.app_id}/${link}`;
    const check = await phone('check', url, '--platform', 'android', '--number', newNumber());
    expect([check.code, check.err]).toEqual([0, '']);
    const login = await phone('login', ...here, '--platform', 'android');
    expect([login.code, login.err]).toEqual([0, '']);
    expect(await sessionIn(login.out)).toMatchObject({ account_id: null, auth_method: 'cert' });
  });

  it('explains what to do when the platform does not know the phone', async () => {
    await edit('android', { polyUserId: `pu_${'0'.repeat(26)}` });
    const login = await phone('login', ...here, '--platform', 'android');
    expect([login.code, login.out]).toEqual([1, '']);
    expect(login.err).toMatch(/^refused: 401 credential_invalid: Invalid credential.+\n$/);
    expect(login.err).toContain(
      `may be unknown to ${baseUrl}; enroll a new one: npx trustcheck phone`,
    );
  });

  it.each([
    ['an unknown platform', ['--platform', 'desktop']],
    ['an account that is not a number', ['--account', 'mine']],
    ['an invalid URL', ['--url', 'nowhere']],
  ])('refuses %s', async (_what, args) => {
    const { code, out } = await phone('login', ...here, ...args);
    expect([code, out]).toEqual([2, '']);
  });
});

async function countDevices(): Promise<number> {
  const db = openTestDb(databaseUrl);
  const sql = 'SELECT count(*)::int AS n FROM devices WHERE app_id = $1';
  const { rows } = await db.query<{ n: number }>(sql, [own.app_id]);
  await db.end();
  return rows[0]?.n ?? 0;
}

type Kept = Record<string, unknown>;
const fileOf = (platform: string): string => join(directory, 'phones', `${platform}.json`);

async function readKept(platform: string): Promise<Kept> {
  return JSON.parse(await readFile(fileOf(platform), 'utf8')) as Kept;
}

/** Changes the file of a kept phone. */
async function edit(platform: string, changes: Kept): Promise<void> {
  await writeFile(fileOf(platform), JSON.stringify({ ...(await readKept(platform)), ...changes }));
}

const placeOf = ({ deviceId, polyUserId }: Kept): string =>
  `it takes the place of ${String(deviceId)} of ${String(polyUserId)}, which was kept here\n`;

describe('trustcheck phone enroll', () => {
  it('names the phone that it replaces', async () => {
    await rm(fileOf('android'), { force: true });
    const first = await phone('enroll', ...here, '--platform', 'android');
    expect(first.out).toMatch(/^dev_\w+ of pu_\w+\n$/);
    const kept = await readKept('android');
    const second = await phone('enroll', ...here, '--platform', 'android');
    const { deviceId, polyUserId } = await readKept('android');
    expect([second.code, second.out]).toEqual([
      0,
      `${String(deviceId)} of ${String(polyUserId)}\n${placeOf(kept)}`,
    ]);
  });

  it('replaces a phone with a damaged file', async () => {
    await writeFile(fileOf('android'), '{');
    expect((await phone('enroll', ...here, '--platform', 'android')).code).toBe(0);
    expect(await readKept('android')).toMatchObject({ platform: 'android' });
  });
});

describe('trustcheck phone check', () => {
  const urlOf = async (proofs: readonly (typeof servedProofs)[number][]): Promise<string> =>
    `${baseUrl}/v2/${own.app_id}/${await newLink({ required_proofs: proofs })}`;

  it('replaces a phone that the platform does not know', async () => {
    expect((await phone('enroll', ...here)).code).toBe(0);
    await edit('ios', { deviceId: `dev_${'0'.repeat(26)}` });
    const check = await phone('check', await urlOf(['device']));
    expect([check.code, check.err]).toEqual([0, '']);
    const { deviceId } = await readKept('ios');
    expect(check.out.split('\n').slice(0, 5)).toEqual([
      'the link is active',
      'Example account requests: device',
      'this platform does not know the phone kept here; a new one takes its place',
      expect.stringMatching(
        /^session tc_\w+, of this phone; a page of the link has another session$/,
      ),
      `phone ${String(deviceId)} is enrolled`,
    ]);
    const again = await phone('check', await urlOf(['device']));
    expect([again.code, again.out]).toEqual([0, expect.not.stringContaining('does not know')]);
  });

  it('waits while another run uses this phone', async () => {
    const other = await takeLock(phoneLock(directory, 'ios'));
    const check = await watched(['check', await urlOf(['device'])], async () => {
      if ('release' in other) other.release();
    });
    const told = `this phone is in use by process ${process.pid}: waiting\n`;
    expect([check.code, check.err]).toEqual([0, told]);
  });

  it('says whether it joined the session of a waiting page or began its own', async () => {
    const url = await urlOf(['device']);
    const link = url.split('/').at(-1) ?? '';
    const begin = async (): Promise<string> => {
      const body = { link_uuid: link, client: 'web' };
      // The phone is on this machine, as are pages that a phone joins with a bare link.
      const headers = { 'x-forwarded-for': '127.0.0.1' };
      return String(
        (await call('POST', '/v2/trust-checks', { body, headers })).body['link_session_id'],
      );
    };
    const page = await begin();
    expect((await phone('check', url)).out).toContain(`session ${page}, of the page that waits\n`);
    const pages = [await begin(), await begin()];
    const { out } = await phone('check', url);
    const [, id = ''] = /^session (tc_\w+), of this phone; a page .+ session$/m.exec(out) ?? [];
    expect(id).toMatch(/^tc_/);
    expect(pages).not.toContain(id);
  });

  it('rejects a link that begins no check before it enrolls a phone', async () => {
    const url = await urlOf(['device']);
    const path = `/v2/link/${own.app_id}/${url.split('/').at(-1) ?? ''}`;
    await call('PATCH', path, { token: own.api_key, body: { paused: true } });
    await rm(fileOf('ios'), { force: true });
    const check = await phone('check', url);
    expect(check).toEqual({ code: 1, out: '', err: 'the link is paused: it begins no check\n' });
    await expect(readKept('ios')).rejects.toThrow('ENOENT');
  });

  it('rejects a mailed link without its secret before it enrolls a phone', async () => {
    const sent = await call('POST', `/v2/link/send/${own.app_id}`, {
      token: own.api_key,
      body: { send_to_email: `phone-${process.pid}@example.test`, required_proofs: ['device'] },
    });
    const url = `${baseUrl}/v2/${own.app_id}/${String(sent.body['link_uuid'])}`;
    await rm(fileOf('ios'), { force: true });
    const before = await countDevices();
    for (const link of [url, `${url}#t=${'A'.repeat(22)}`]) {
      const check = await phone('check', link);
      expect([check.code, check.out.split('\n').length]).toEqual([1, 3]);
      expect(check.err).toMatch(/^refused: 401 link_token_required: .+'<link>#t=…', quoted .+\n$/);
    }
    expect(await countDevices()).toBe(before);
    await expect(readKept('ios')).rejects.toThrow('ENOENT');
  });

  it('keeps the enrolled phone, however the check ends', async () => {
    await rm(fileOf('ios'), { force: true });
    const words = ['--number', newNumber(), '--fail', 'wrong_code'];
    const failed = await phone('check', await urlOf(['phone']), ...words);
    expect([failed.code, failed.err]).toEqual([1, '']);
    const [, enrolled] = /^phone (dev_\w+) is enrolled$/m.exec(failed.out) ?? [];
    expect((await readKept('ios'))['deviceId']).toBe(enrolled);
  });

  it('prints code and detail of a refusal', async () => {
    const landline = await phone('check', await urlOf(['phone']), '--number', '+493012345678');
    expect(landline).toMatchObject({
      code: 1,
      err: 'refused: 422 phone_refused: body.phone_number: Its kind of line gets no codes here\n',
    });
    const unknown = `${baseUrl}/v2/${own.app_id}/00000000-0000-4000-8000-000000000000`;
    expect(await phone('check', unknown)).toEqual({
      code: 1,
      out: '',
      err: 'refused: 404 not_found: No such link, or this caller may not see it.\n',
    });
    const emulator = await phone('check', await urlOf(['device']), '--fail', 'emulator');
    expect([emulator.code, emulator.err]).toEqual([
      1,
      expect.stringMatching(/^refused: 403 attestation_refused \(\w+\): Device .+ refused\n$/),
    ]);
    const nameless = await phone('enroll', ...here.slice(0, 2), '--app', 'no such app');
    expect(nameless.err).toMatch(/^refused: \d+ \w+: .+\n$/);
  });

  it.each([
    ['a number in national form', ['LINK', '--number', '0151 123'], 2, 'not an E.164 number'],
    ['a number that begins with 0', ['LINK', '--number', '+0123456789'], 2, 'not an E.164 number'],
    ['an unknown document', ['LINK', '--document', 'visa'], 2, 'one of passport, identity_card,'],
    ['an unknown fault', ['LINK', '--fail', 'fire'], 2, '--fail fire: not one of '],
    ['a fault of another phone', ['LINK', '--fail', 'unlocked'], 2, 'only with --platform android'],
    [
      'a fault of another document',
      ['LINK', '--fail', 'no_print', '--document', 'passport'],
      2,
      '--fail no_print: only with --document driving_licence',
    ],
    ['an address without a server', ['http://127.0.0.1:1/v2/a/b'], 1, 'no answer from http://127'],
    ['a file address', ['file:///etc/hosts'], 2, 'the link is not an address'],
    ['an address other than a link', [`${baseUrl}/docs`], 1, 'not that of a trustcheck platform'],
    ['an address other than a link', [`${baseUrl}/openapi.json`], 1, 'not that of a link'],
  ])('refuses %s before anything is done', async (_what, words, exit, fault) => {
    const link = `${baseUrl}/v2/${own.app_id}/00000000-0000-4000-8000-000000000000`;
    const ran = await phone('check', ...words.map((word) => (word === 'LINK' ? link : word)));
    expect([ran.code, ran.out]).toEqual([exit, '']);
    expect(ran.err).toMatch(/^.+\n$/);
    expect(ran.err).toContain(fault);
  });

  it('asks for a platform and an app when none is known', async () => {
    const nowhere = await phone('enroll');
    expect([nowhere.code, nowhere.err]).toEqual([
      2,
      'no platform is known here: run npm start, or give --url\n',
    ]);
    const nameless = await phone('login', ...here.slice(0, 2));
    expect([nameless.code, nameless.err]).toEqual([
      2,
      'no app is known here: run npm start, or give --app\n',
    ]);
  });
});
