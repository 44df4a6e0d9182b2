import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readSessionToken } from '../../activities/tokens/session-token.ts';
import { platformKeys } from '../bundles.ts';
import { call, newLink, newNumber } from '../client.ts';

const { baseUrl, dataDir, own } = inject('platform');
const cli = new URL('../../cli/trustcheck.mjs', import.meta.url).pathname;
let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-phone-'));
  await cp(join(dataDir, 'dev-trust'), join(directory, 'dev-trust'), { recursive: true });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Runs `trustcheck phone …` with a data directory of its own. */
async function phone(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, DATA_DIR: directory };
  const child = spawn(process.execPath, [cli, 'phone', ...args], { env });
  const [out, err] = [child.stdout, child.stderr].map(async (stream) => {
    let text = '';
    for await (const part of stream) text += String(part);
    return text;
  });
  const code = await new Promise<number>((resolve) => {
    child.once('exit', (exit) => resolve(exit ?? -1));
  });
  return { code, out: (await out) ?? '', err: (await err) ?? '' };
}

const here = ['--url', baseUrl, '--app', own.app_id];
const sessionIn = (out: string) =>
  readSessionToken(platformKeys().tokens, baseUrl, out.trim(), new Date());

describe('trustcheck phone login', () => {
  it('enrols a new phone for the person of a session and prints the token alone', async () => {
    const login = await phone('login', ...here, '--token', own.member.session_token);
    expect([login.code, login.err]).toEqual([0, '']);
    expect(login.out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const claims = { sub: own.member.poly_user_id, account_id: own.account_id };
    expect(sessionIn(login.out)).toMatchObject(claims);
    const devices = await call('GET', '/v2/devices', { token: login.out.trim() });
    expect(devices.status).toBe(200);
  });

  it('signs the same phone in again, in the account it is told', async () => {
    const login = await phone('login', ...here, '--account', String(own.account_id));
    expect(sessionIn(login.out)).toMatchObject({ sub: own.member.poly_user_id });
    const refused = await phone('login', ...here, '--account', '2000000000');
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.err).toContain('credential_invalid');
  });

  it('carries what the phone’s last check proved', async () => {
    const proofs = ['device', 'nfc_passport'];
    const link = await newLink({ required_proofs: proofs, requested_claims: ['full_name'] });
    const url = `${baseUrl}/v2/${own.app_id}/${link}`;
    const check = await phone('check', url, '--platform', 'android', '--number', newNumber());
    expect([check.code, check.err]).toEqual([0, '']);
    const login = await phone('login', ...here, '--platform', 'android');
    expect([login.code, login.err]).toEqual([0, '']);
    expect(sessionIn(login.out)).toMatchObject({ account_id: null, auth_method: 'cert' });
  });

  it.each([
    ['an unknown platform', ['--platform', 'desktop']],
    ['an account that is no number', ['--account', 'mine']],
    ['an address that is none', ['--url', 'nowhere']],
  ])('refuses %s', async (_what, args) => {
    const { code, out } = await phone('login', ...here, ...args);
    expect([code, out]).toEqual([2, '']);
  });
});
