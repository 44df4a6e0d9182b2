import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../activities/runtime/log.ts';
import { createDevice } from '../../../simulator/device/device.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import { devTrust } from '../../support/checks/phone.ts';
import {
  call,
  codeFor,
  collecting,
  newLink,
  newNumber,
  withAffidavit,
} from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { begin, placesSince } from '../database/places.ts';

const { baseUrl, own } = ownPlatform();

/** Runs a check with a passport that names its holder; returns what must not appear anywhere. */
async function throughThreeProofs(mark: string): Promise<string[]> {
  const trust = await devTrust();
  const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
  const uuid = await newLink({
    title: `${mark} passport`,
    required_proofs: ['device', 'nfc_passport', 'phone'],
    requested_claims: ['full_name', 'age_over_18', 'phone_number'],
  });
  const number = newNumber();
  const link = `${baseUrl}/v2/${uuid}`;
  const done = await phoneCheck({ link, number, trust, device, say: () => undefined });
  const seen = await call('GET', `/v2/trust-checks/${done.link_session_id}`, {
    token: own.api_key,
  });
  // The name was processed: the requester, and only the requester, can read it.
  expect(seen.text).toContain('ERIKSSON');
  const [, keyLine = ''] = device.save().signingKeyPem.split('\n');
  return ['ERIKSSON', 'L898902C3', '1974-08-12', number, keyLine];
}

describe('planted personal data', () => {
  it('appears in no history, event, log or metric', async () => {
    const began = begin();
    const mark = `CANARY${Math.floor(Math.random() * 1e9)}`;
    const number = newNumber();
    const link = await newLink({
      title: `${mark} title`,
      reference_id: `${mark} reference`,
      matching_params: {
        full_name: `${mark} Person`,
        email: `${mark}@example.test`,
        phone_number: number,
      },
    });
    const session = await collecting(link);
    await session.step('phone/code', { phone_number: number });
    const code = await codeFor(number);
    await session.step('proofs/phone', { code: '999999' === code ? '999998' : '999999' });
    await session.step('proofs/phone', { code });
    await withAffidavit(session);
    await call('POST', `/v2/link/send/${own.app_id}`, {
      token: own.api_key,
      body: { send_to_email: `${mark}@example.test`, recipient_name: mark },
    });
    const passport = await throughThreeProofs(mark);
    const planted = [mark, number, code, session.token, own.api_key, ...passport];
    const places = await placesSince(began);
    // The payloads were decrypted: the state of the workflow is found in them.
    expect(places.some(([, text]) => text.includes('collecting'))).toBe(true);
    // Six digits occur in any long number, so the code is searched as a word.
    const isTold = (text: string, secret: string): boolean =>
      secret === code ? new RegExp(`\\b${code}\\b`).test(text) : text.includes(secret);
    for (const [place, text] of places) {
      for (const secret of planted) {
        expect(isTold(text, secret), `${secret} in ${place}`).toBe(false);
      }
    }
  });
});

/** Names of body members that hold a credential. */
function credentialNames(): string[] {
  const document = readFileSync(new URL('../../../api/openapi.json', import.meta.url), 'utf8');
  const found = new Set<string>();
  JSON.parse(document, function (name: string, value: unknown) {
    const isText = [Object(value).type].flat().includes('string');
    if (isText && /(^|_)(token|secret|jwt|api_key)$/.test(name)) found.add(name);
    return value;
  });
  return [...found];
}

describe('a secret that is logged', () => {
  const names = [...credentialNames(), 'client_secret', 'id_token', 'pair_token', 'refresh_token'];

  it('is found by its name in the interface', () => {
    expect(names).toEqual(expect.arrayContaining(['access_token', 'api_key', 'join_token']));
  });

  it.each([...new Set(names)])('named %s is cut out, wherever it stands', (name) => {
    const lines: string[] = [];
    const log = createLogger('canary', 'info', { to: { write: (line) => lines.push(line) } });
    const secret = { [name]: 'CANARY' };
    log.warn({ ...secret, body: secret, request: { body: secret } }, 'refused');
    const cut = { [name]: '[cut]' };
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { ...cut, body: cut, request: { body: cut }, msg: 'refused' },
    ]);
    expect(lines.join('')).not.toContain('CANARY');
  });
});
