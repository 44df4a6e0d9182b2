import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SignJWT } from 'jose';
import { z } from 'zod';

/** Settings of the keys of your Apple teams. */
export const appleKeysConfig = z.object({
  APPLE_DEVICE_KEYS: z
    .string()
    .optional()
    .describe(
      'Path of a JSON file with keys of your Apple teams: `{"TEAM": {"key_id": "…", ' +
        '"private_key": "…"}}`. Without it, the risk metric and the device flags of iPhones ' +
        'are unknown.',
    ),
});

/** The keys that Apple's services for devices are called with, by team. */
export type AppleKeys = ReadonlyMap<string, AppleKey>;

interface AppleKey {
  readonly keyId: string;
  readonly privateKey: KeyObject;
}

const privateKey = z.string().transform((pem, context): KeyObject => {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // Reported below.
  }
  context.addIssue({ code: 'custom', message: 'not a P-256 key' });
  return z.NEVER;
});
const id = z.string().regex(/^[A-Z0-9]{10}$/);
const keyFile = z.record(id, z.object({ key_id: id, private_key: privateKey }));

/**
 * Reads the file of `APPLE_DEVICE_KEYS`: `{team: {key_id, private_key}}`. Empty without a path.
 * @throws Error with one line for a missing or invalid file
 */
export function readAppleKeys(path: string | undefined): AppleKeys {
  if (path === undefined) return new Map();
  try {
    const teams = keyFile.parse(JSON.parse(readFileSync(path, 'utf8')));
    return new Map(
      Object.entries(teams).map(([team, { key_id, private_key }]) => [
        team,
        { keyId: key_id, privateKey: private_key },
      ]),
    );
  } catch {
    throw new Error('wrong settings: APPLE_DEVICE_KEYS: no such file, or not of its form');
  }
}

/**
 * Returns a token for Apple's device services: a JWT signed with the team's key (RFC 7519, ES256).
 */
export async function appleToken(
  teamId: string,
  { keyId, privateKey: key }: AppleKey,
  now: Date,
): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: keyId })
    .setIssuer(teamId)
    .setIssuedAt(Math.floor(now.getTime() / 1000))
    .sign(key);
}
