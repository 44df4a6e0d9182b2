import { z } from 'zod';
import { devicePlatforms, recallStates } from '../../domain/names.ts';
import { playToken } from '../http/auth/attest/attest-header.ts';
import { base64Form, unique } from '../http/fields/declared-rules.ts';

const timestamp = z.iso.datetime();

/** Bytes as base64url without padding. The length is checked before they are decoded. */
const base64url = (lengthMax: number) =>
  z
    .string()
    .max(lengthMax)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url')
    .transform((text) => new Uint8Array(Buffer.from(text, 'base64url')));

const challengeForm = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be a challenge of ours');
const coordinate = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url');

export const deviceId = z.string().regex(/^dev_[0-9a-z]{26}$/, 'must be a device id');
export const devicePath = z.object({ device_id: deviceId.describe('The device') });

export const challengeBody = z
  .object({
    challenge: challengeForm.describe('32 bytes, base64url; valid once'),
    expires_at: timestamp,
  })
  .meta({ id: 'DeviceChallenge' });

/** The public half of the key that signs a person's tokens (RFC 7517, P-256). */
export const signingKey = z.object({
  kty: z.literal('EC').describe('RFC 7518 §6.2.1'),
  crv: z.literal('P-256').describe('RFC 7518 §6.2.1.1'),
  x: coordinate.describe('32 bytes, base64url'),
  y: coordinate.describe('32 bytes, base64url'),
});

const apple = z.object({
  key_id: base64url(64).describe('SHA-256 of the key, as App Attest names it, base64url'),
  attestation: base64url(22_000).describe(
    'The attestation object over SHA-256 of the 32 bytes of the challenge, base64url',
  ),
  device_tokens: z
    .array(z.base64('must be base64 without line breaks').min(4).max(8_000).meta(base64Form))
    .min(1)
    .max(3)
    .refine((tokens) => new Set(tokens).size === tokens.length, 'must all differ')
    .meta(unique)
    .optional()
    .describe(
      'Tokens of DeviceCheck (`DCDevice.generateToken`), base64. Each serves one call to ' +
        'Apple, in this order: query this phone, note it, flag it. With fewer than three, ' +
        'the last calls are omitted',
    ),
});
const integrity = z.object({
  token: playToken.describe(
    'Token requested over the SHA-256 of the 32 bytes of the challenge followed by the ' +
      'leaf certificate of the chain in DER, base64url without padding',
  ),
  request: z
    .enum(['standard', 'classic'])
    .describe('Kind of request; the hash is its `requestHash` or its `nonce`'),
});
const android = z.object({
  chain: z
    .array(base64url(8_000))
    .min(2)
    .max(8)
    .describe(
      'Key attestation with the 32 bytes of the challenge: certificates in DER, base64url, ' +
        'leaf first',
    ),
  integrity: integrity
    .optional()
    .describe('Verdict of Google Play; required if this service requests it'),
});

export const enrollRequest = z
  .object({
    platform: z.enum(devicePlatforms).describe('Platform of the attestation'),
    app_id: z
      .string()
      .min(1)
      .max(63)
      .describe('ID of the installed app; the attestation must match its identity at the vendor'),
    challenge: challengeForm.describe(
      'Challenge of `POST /v2/devices/challenge`; this call consumes it',
    ),
    apple: apple.optional().describe('Attestation of an iPhone'),
    android: android.optional().describe('Attestation of an Android phone'),
    signing_key: signingKey.describe(
      'Public key (JWK) that signs bundles; the service certifies it',
    ),
    signing_proof: z
      .string()
      .max(1024)
      .describe('Compact JWS (ES256) by the signing key over the 32 bytes of the challenge'),
    device_name: z
      .string()
      .trim()
      .min(1)
      .max(80)
      .optional()
      .describe('Name that the person gave the device'),
  })
  .refine(({ platform, apple: ios, android: robot }) => (platform === 'ios' ? ios : robot), {
    message: 'the attestation of the platform is required',
    path: ['platform'],
  })
  .meta({
    id: 'EnrollDeviceRequest',
    example: {
      platform: 'android',
      app_id: 'example-app',
      challenge: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA',
      android: { chain: ['MIIBszCCAVmgAwIBAgIBATA', 'MIIByjCCAVCgAwIBAgIBAjA'] },
      signing_key: {
        kty: 'EC',
        crv: 'P-256',
        x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
        y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
      },
      signing_proof: 'eyJhbGciOiJFUzI1NiJ9.q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA.c2ln',
      device_name: 'My phone',
    },
  });

export const enrolledBody = z
  .object({
    device_id: deviceId,
    poly_user_id: z.string(),
    certificate_chain: z
      .array(z.string())
      .describe('PEM, the device’s own certificate first, without the root'),
    expires_at: timestamp.describe('When the certificate of the device expires'),
  })
  .meta({ id: 'EnrolledDevice' });

export const deviceBody = z
  .object({
    device_id: deviceId,
    platform: z.enum(devicePlatforms),
    app_id: z.string(),
    device_name: z.string().nullable(),
    status: z.enum(['active', 'revoked']),
    signing_kid: z.string().describe('SHA-256 thumbprint of the signing key (RFC 7638)'),
    created_at: timestamp,
    last_seen_at: timestamp.nullable().describe('When the device last signed a call'),
    risk_metric: z
      .int()
      .min(0)
      .nullable()
      .describe('Keys attested on this iPhone in a month, as reported by Apple; null if unknown'),
    risk_metric_at: timestamp.nullable().describe('When Apple reported it'),
    recall_status: z
      .enum(recallStates)
      .nullable()
      .describe(
        'State of the vendor query for the history of the phone: not answered yet, answered, ' +
          'answered and enrollment noted, or unavailable; null if the vendor is not queried',
      ),
    recall_at: timestamp.nullable().describe('When the vendor answered'),
    reinstall_detected: z
      .boolean()
      .nullable()
      .describe('Whether the phone was enrolled before with another key; null if unknown'),
    device_flagged: z
      .boolean()
      .nullable()
      .describe('Whether the operator has revoked this phone before; null if unknown'),
    revoked_at: timestamp.nullable(),
  })
  .meta({ id: 'Device' });
