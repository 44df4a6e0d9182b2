import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Device } from '../../../simulator/device/device.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import type { PhoneCheckOptions } from '../../../simulator/session/session-calls.ts';
import { devTrust, enrolledPhone, newPhone } from '../../support/checks/phone.ts';
import { ownDirectory, trustcheck } from '../../support/commands/run-command.ts';
import { beginSession, call, clientOf, newLink, newNumber } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, baseUrl, dataDir } = ownPlatform();

/** Runs a check that fails; returns the error, the session id and the last printed line. */
async function broken(link: string, options: Partial<PhoneCheckOptions> = {}) {
  const said: string[] = [];
  const check = phoneCheck({
    link: `${baseUrl}/v2/${own.app_id}/${link}`,
    number: newNumber(),
    trust: await devTrust(),
    device: await newPhone(),
    say: (line) => said.push(line),
    ...options,
  });
  const error = await check.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  const [, id = ''] = /^session (tc_\w+), /m.exec(said.join('\n')) ?? [];
  return { error, id, last: said.at(-1) };
}

async function statusOf(link: string): Promise<unknown> {
  const { body } = await call('GET', `/v2/raw/${link}`, { token: own.api_key });
  return body['status'];
}

async function sessionStatusOf(id: string): Promise<unknown> {
  const { body } = await call('GET', `/v2/trust-checks/${id}`, { token: own.api_key });
  return body['status'];
}

const singleUse = (): Promise<string> => newLink({ required_proofs: ['device'], single_use: true });

/** Returns a phone kept from another platform. */
async function strangePhone(): Promise<Device> {
  const device = await enrolledPhone();
  if (device.enrolled) {
    device.enrolled = { ...device.enrolled, deviceId: `dev_${'0'.repeat(26)}` };
  }
  return device;
}

describe('a phone that begins a check and fails before pairing', () => {
  it.each([
    ['is refused when it enrolls', async () => ({ device: await newPhone('ios', 'emulator') })],
    ['cannot be kept', async () => ({ keep: () => Promise.reject(new Error('no space left')) })],
  ] as const)('releases the link when it %s', async (_why, made) => {
    const link = await singleUse();
    const { error, id, last } = await broken(link, await made());
    expect(error).toBeInstanceOf(Error);
    expect(last).toBe(`session ${id} is canceled`);
    expect([await sessionStatusOf(id), await statusOf(link)]).toEqual(['canceled', 'active']);
  });

  it('begins nothing when the platform does not know it', async () => {
    const link = await singleUse();
    const { error, id } = await broken(link, { device: await strangePhone() });
    expect(error).toMatchObject({ code: 'signature_invalid' });
    expect([id, await statusOf(link)]).toEqual(['', 'active']);
  });

  it.each(['web', 'mobile'] as const)(
    'does not cancel the session of the %s client that it joined by the address of the code',
    async (client) => {
      const link_uuid = await singleUse();
      const { link_session_id, pair_url } = await clientOf(null).trustChecks.begin({
        body: { link_uuid, client },
      });
      const device = await newPhone('ios', 'emulator');
      const { error, id } = await broken(link_uuid, { device, link: pair_url });
      expect([error, id]).toEqual([expect.any(Error), link_session_id]);
      expect(await statusOf(link_uuid)).toBe('reserved');
      expect(await sessionStatusOf(id)).toMatch(/^(created|opened)$/);
    },
  );

  it('cannot use a single-use link that another client began', async () => {
    const link = await singleUse();
    const other = await beginSession(link);
    const { error, id } = await broken(link);
    expect([error, id]).toEqual([expect.objectContaining({ code: 'already_begun' }), '']);
    expect(await sessionStatusOf(other.id)).toMatch(/^(created|opened)$/);
  });

  it('leaves a check that fails after pairing open, so that it can continue', async () => {
    const link = await newLink({ required_proofs: ['phone'], single_use: true });
    const { error, id } = await broken(link, { number: '+493012345678' });
    expect(error).toMatchObject({ code: 'phone_refused' });
    expect([await sessionStatusOf(id), await statusOf(link)]).toEqual(['collecting', 'reserved']);
  });
});

/** Kills the program with SIGKILL after the answer to its pairing. */
const endsOncePaired = `
  const send = globalThis.fetch;
  globalThis.fetch = async (url, init) => {
    const answer = await send(url, init);
    if (String(url).endsWith('/pair') && answer.ok) process.kill(process.pid, 'SIGKILL');
    return answer;
  };`;

describe('the counter of a kept phone', () => {
  it('is written before it is sent, and a phone with an outdated file is replaced', async () => {
    const { path, remove } = await ownDirectory();
    await cp(join(dataDir, 'dev-trust'), join(path, 'dev-trust'), { recursive: true });
    const file = join(path, 'phones', 'ios.json');
    const idOf = (text: string): string => (JSON.parse(text) as { deviceId: string }).deviceId;
    const begin = async (env = {}) => {
      const link = await newLink({ required_proofs: ['device'] });
      return trustcheck(path, ['phone', 'check', `${baseUrl}/v2/${own.app_id}/${link}`], env);
    };
    const preload = `data:text/javascript,${encodeURIComponent(endsOncePaired)}`;
    const killed = await begin({ NODE_OPTIONS: `--import=${preload}` });
    expect(await killed.ended).toMatchObject({ code: null, stderr: '' });
    const old = await readFile(file, 'utf8');
    const next = await (await begin()).ended;
    expect([next.code, next.stderr]).toEqual([0, '']);
    expect(next.stdout).toMatch(
      /\nthe requester gets its affidavit within seconds: .+ verify\npassed\n$/,
    );
    expect(next.stdout).toContain(`\nphone ${idOf(old)} is the one kept here\npair: `);

    await writeFile(file, old);
    const again = await (await begin()).ended;
    const id = idOf(await readFile(file, 'utf8'));
    expect([again.code, again.stderr, id === idOf(old)]).toEqual([0, '', false]);
    const why = 'the phone kept here is older than what this platform knows of it';
    expect(again.stdout).toContain(`\n${why}; a new one takes its place\nsession `);
    expect(again.stdout).toContain(`\nphone ${id} is enrolled\npair: `);
    await remove();
  });
});
