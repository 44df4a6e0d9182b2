import { describe, expect, it } from 'vitest';
import { phoneCheck, type PhoneCheckOptions } from '../../../cli/phone/check.ts';
import type { Device } from '../../../cli/phone/device.ts';
import { beginSession, call, newLink, newNumber } from '../../client.ts';
import { ownPlatform } from '../../own-platform.ts';
import { devTrust, enrolledPhone, newPhone } from '../../phone.ts';

const { own, baseUrl } = ownPlatform();

/** Runs a check that a fault ends; the session it told, and its last words. */
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

/** One kept from another platform. */
async function strangePhone(): Promise<Device> {
  const device = await enrolledPhone();
  if (device.enrolled) {
    device.enrolled = { ...device.enrolled, deviceId: `dev_${'0'.repeat(26)}` };
  }
  return device;
}

describe('a phone that begins a check and does not get to pairing', () => {
  it.each([
    ['is refused when it enrols', async () => ({ device: await newPhone('ios', true) })],
    ['cannot be kept', async () => ({ keep: () => Promise.reject(new Error('no space left')) })],
    ['is not known to the platform', async () => ({ device: await strangePhone() })],
  ] as const)('gives the link back where it %s', async (_why, made) => {
    const link = await singleUse();
    const { error, id, last } = await broken(link, await made());
    expect(error).toBeInstanceOf(Error);
    expect(last).toBe(`session ${id} is canceled`);
    expect([await sessionStatusOf(id), await statusOf(link)]).toEqual(['canceled', 'active']);
  });

  it.each(['web', 'mobile'] as const)(
    'leaves the session of the %s client it joined',
    async (client) => {
      const link = await singleUse();
      const other = await beginSession(link, client);
      const { error, id } = await broken(link, { device: await newPhone('ios', true) });
      expect([error, id]).toEqual([expect.any(Error), other.id]);
      expect(await statusOf(link)).toBe('reserved');
      expect(await sessionStatusOf(id)).toMatch(/^(created|opened)$/);
    },
  );

  it('leaves one that goes wrong after it, which can be gone on with', async () => {
    const link = await newLink({ required_proofs: ['phone'], single_use: true });
    const { error, id } = await broken(link, { number: '+493012345678' });
    expect(error).toMatchObject({ code: 'phone_refused' });
    expect([await sessionStatusOf(id), await statusOf(link)]).toEqual(['collecting', 'reserved']);
  });
});
