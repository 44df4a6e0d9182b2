import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSessionToken } from '../../../activities/tokens/session-token.ts';
import { commandHere } from '../../support/commands/command-here.ts';
import { call } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { agedBy } from '../../support/people/cert-users.ts';
import { newEmailUser } from '../../support/people/email-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl, dataDir, own } = ownPlatform();
const db = openTestDb(databaseUrl);
let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-sign-in-'));
  await cp(join(dataDir, 'dev-trust'), join(directory, 'dev-trust'), { recursive: true });
});
afterAll(async () => {
  await db.end();
  await rm(directory, { recursive: true, force: true });
});

const phone = (...words: string[]) =>
  commandHere(directory, ['phone', ...words, '--url', baseUrl, '--app', own.app_id]);

async function keptPhone(): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(directory, 'phones', 'ios.json'), 'utf8'));
}

it('phone bundle prints only a bundle of the kept phone, which works once', async () => {
  const first = await phone('bundle');
  expect([first.code, first.stderr]).toEqual([0, '']);
  const { polyUserId, deviceId } = await keptPhone();
  const { token } = await newEmailUser(db, {});
  const body = { raw_jwt: first.stdout.trim() };
  const raised = await call('POST', '/v2/session/step_up', { token, body });
  expect(raised.status).toBe(200);
  const session = String(raised.body['session_token']);
  expect(await readSessionToken(platformKeys(), baseUrl, session, new Date())).toMatchObject({
    sub: polyUserId,
    auth_method: 'cert',
  });
  const again = await call('POST', '/portal_login', { body });
  expect([again.status, again.body['code']]).toEqual([401, 'credential_invalid']);
  const second = await phone('bundle');
  expect([second.code, second.stdout === first.stdout]).toEqual([0, false]);
  expect((await keptPhone())['deviceId']).toBe(deviceId);
});

it('phone bundle refuses an unknown platform', async () => {
  const { code, stdout } = await phone('bundle', '--platform', 'desktop');
  expect([code, stdout]).toEqual([2, '']);
});

it('phone login says which session --token needs when its device proof is too old', async () => {
  const { stdout: session } = await phone('login');
  const { code, stdout, stderr } = await phone('login', '--token', agedBy(session.trim(), 900));
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^refused: 403 step_up_required: .+ phone login without --token\)/);
});
