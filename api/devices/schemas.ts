import { z } from 'zod';
import { devicePlatforms } from '../../db/names.ts';

const timestamp = z.iso.datetime();

/** Bytes as base64url without padding, bounded before anything decodes them. */
const base64url = (lengthMax: number) =>
  z
    .string()
    .max(lengthMax)
    .regex(/^[A-Za-z0-9_-]+$/, 'base64url')
    .transform((text) => new Uint8Array(Buffer.from(text, 'base64url')));

const challengeForm = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'a challenge of ours');
const coordinate = z.string().regex(/^[A-Za-z0-9_-]{43}$/, '32 bytes in base64url');

export const deviceId = z.string().regex(/^dev_[0-9a-z]{26}$/, 'a device id');
export const devicePath = z.object({ device_id: deviceId });

export const challengeBody = z
  .object({ challenge: challengeForm, expires_at: timestamp })
  .meta({ id: 'DeviceChallenge' });

/** The public half of the key a person's tokens are signed with (RFC 7517, P-256). */
export const signingKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: coordinate,
  y: coordinate,
});

const apple = z.object({ key_id: base64url(64), attestation: base64url(22_000) });
const android = z.object({ chain: z.array(base64url(8_000)).min(2).max(8) });

export const enrollRequest = z
  .object({
    platform: z.enum(devicePlatforms),
    app_id: z.string().min(1).max(63),
    challenge: challengeForm,
    apple: apple.optional(),
    android: android.optional(),
    signing_key: signingKey,
    /** Compact JWS by the signing key whose payload is the 32 bytes of the challenge. */
    signing_proof: z.string().max(1024),
    device_name: z.string().trim().min(1).max(80).optional(),
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
    /** PEM, the device's own certificate first, without the root. */
    certificate_chain: z.array(z.string()),
    expires_at: timestamp,
  })
  .meta({ id: 'EnrolledDevice' });

export const deviceBody = z
  .object({
    device_id: deviceId,
    platform: z.enum(devicePlatforms),
    app_id: z.string(),
    device_name: z.string().nullable(),
    status: z.enum(['active', 'revoked']),
    signing_kid: z.string(),
    created_at: timestamp,
    last_seen_at: timestamp.nullable(),
    revoked_at: timestamp.nullable(),
  })
  .meta({ id: 'Device' });
