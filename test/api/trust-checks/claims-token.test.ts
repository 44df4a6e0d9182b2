import { describe, expect, it } from 'vitest';
import { mintCheckToken } from '../../../activities/tokens/check-token.ts';
import { createDevice, type Device } from '../../../simulator/device/device.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import { devTrust, enrolledPhone } from '../../support/checks/phone.ts';
import { newBrowser } from '../../support/http/browser-keys.ts';
import {
  beginSession,
  call,
  newLink,
  newNumber,
  passedSession,
} from '../../support/http/client.ts';
import {
  goodBundle,
  kidOfDevice,
  platformKeys,
  portalLogin,
  type Members,
} from '../../support/keys/bundles.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl, own } = ownPlatform();

interface Passed {
  readonly device: Device;
  readonly id: string;
  readonly token: string;
  readonly claims: Members;
}

/** Passes a check with a phone and returns it with the claims token that the phone received. */
async function passedCheck(
  claims: string[],
  proofs: string[] = ['device', 'nfc_passport', 'phone'],
  platform: 'ios' | 'android' = 'ios',
): Promise<Passed> {
  const link = await call('PUT', `/v2/link/${own.app_id}`, {
    token: own.api_key,
    body: { requested_claims: claims, required_proofs: proofs },
  });
  const trust = await devTrust();
  const device = createDevice({ platform, trust, now: () => new Date() });
  const session = await phoneCheck({
    link: String(link.body['url']),
    number: newNumber(),
    trust,
    device,
    say: () => undefined,
  });
  expect(session.status).toBe('passed');
  const token = session.verified_claims_token ?? '';
  return { device, id: session.link_session_id, token, claims: token ? payloadOf(token) : {} };
}

function payloadOf(token: string): Members {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

const everything = [
  'full_name',
  'age_over_18',
  'date_of_birth',
  'nationality',
  'document_type',
  'document_number',
  'issuing_country',
  'expires_on',
  'phone_number',
];

describe('verified_claims_token of a passed check', () => {
  it('describes each proof in the terms of OpenID Identity Assurance', async () => {
    const { device, id, claims } = await passedCheck(everything, undefined, 'android');
    const [documented, number] = claims['verified_claims'] as Members[];
    expect(claims).toMatchObject({
      iss: baseUrl,
      sub: device.enrolled?.polyUserId,
      cnf: { jkt: kidOfDevice(device) },
      device_attestation: { platform: 'android', verdict: 'passed', time: expect.any(String) },
    });
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(86_400);
    expect(documented).toEqual({
      verification: {
        trust_framework: 'urn:trustcheck:policy:default',
        time: expect.stringMatching(/Z$/),
        verification_process: id,
        assurance_process: {
          policy: 'urn:trustcheck:policy:default',
          assurance_details: [
            {
              assurance_type: 'evidence_validation',
              assurance_classification: 'passed',
              evidence_ref: [{ check_id: `${id}/nfc_passport` }],
            },
          ],
        },
        evidence: [
          {
            type: 'document',
            check_details: [{ check_method: 'vcrypt', check_id: `${id}/nfc_passport` }],
            document_details: {
              type: 'passport',
              document_number: 'L898902C3',
              date_of_expiry: expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
              issuer: { country: 'UTO' },
            },
          },
        ],
      },
      claims: {
        name: 'ANNA MARIA ERIKSSON',
        age_over_18: true,
        birthdate: '1974-08-12',
        nationalities: ['UTO'],
        document_type: 'passport',
        document_number: 'L898902C3',
        issuing_country: 'UTO',
        expires_on: expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
      },
    });
    expect(number?.['claims']).toEqual({ phone_number: expect.stringMatching(/^\+49/) });
    expect(number?.['verification']).not.toHaveProperty('evidence');
  });

  it('contains only claims that were both requested and consented to', async () => {
    const { claims, token } = await passedCheck(['age_over_18']);
    expect(claims['verified_claims']).toEqual([
      expect.objectContaining({ claims: { age_over_18: true } }),
    ]);
    const text = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
    for (const hidden of ['ERIKSSON', 'UTO', '+49', '1974', 'L898902C']) {
      expect(text).not.toContain(hidden);
    }
  });

  it('is accepted in a bundle of the same phone and rejected with another', async () => {
    const { device, token } = await passedCheck(['full_name'], ['device', 'nfc_passport']);
    const good = await portalLogin(await goodBundle(device, { verifiedClaims: token }));
    expect(good.status).toBe(200);
    const other = await enrolledPhone();
    const stolen = await portalLogin(await goodBundle(other, { verifiedClaims: token }));
    expect(stolen.status).toBe(401);
  });

  it('is returned only to the holder of the check token', async () => {
    const { id } = await passedCheck(['full_name'], ['device', 'nfc_passport']);
    for (const token of [own.api_key, own.admin.session_token]) {
      const { status, body } = await call('GET', `/v2/trust-checks/${id}`, { token });
      expect([status, body['verified_claims_token']]).toEqual([200, null]);
    }
    const listed = await call('GET', '/v2/trust-checks', { token: own.api_key });
    for (const item of listed.body['items'] as Members[]) {
      expect(item).not.toHaveProperty('verified_claims_token');
    }
  });

  it('is null without consented claims and without a phone', async () => {
    const nothing = await passedCheck([], ['device', 'nfc_passport']);
    expect(nothing.token).toBe('');
    const web = await passedSession({ requested_claims: ['phone_number'] });
    expect((await web.get()).body).toMatchObject({
      status: 'passed',
      verified_claims_token: null,
    });
  });

  it.each([
    ['another outcome', `status = 'failed'`],
    ['an outcome that was revoked', `outcome_validity = 'revoked'`],
    ['an outcome to be verified again', `outcome_validity = 'reverify_due'`],
    ['what was redacted', 'redacted_at = now()'],
    ['a phone that is unknown', 'device_id = NULL'],
    ['a phone of somebody else', `poly_user_id = 'pu_other'`],
    ['consent to nothing', `consent = jsonb_set(consent, '{claims}', '[]')`],
  ])('is null for %s', async (_what, change) => {
    const { id } = await passedCheck(['full_name'], ['device', 'nfc_passport']);
    const of = { linkSessionId: id, jkt: (await newBrowser()).jkt };
    const { token } = await mintCheckToken(platformKeys().tokens, baseUrl, of, new Date());
    const read = async () => (await call('GET', `/v2/trust-checks/${id}`, { token })).body;
    expect((await read())['verified_claims_token']).toMatch(/^ey/);
    const db = openTestDb(databaseUrl);
    await db.query(`UPDATE trust_checks SET ${change} WHERE link_session_id = $1`, [id]);
    await db.end();
    expect((await read())['verified_claims_token']).toBeNull();
  });

  it('is null before the decision', async () => {
    const session = await beginSession(await newLink());
    expect((await session.get()).body['verified_claims_token']).toBeNull();
  });
});
