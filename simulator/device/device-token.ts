import { randomBytes } from 'node:crypto';

/** What a token of DeviceCheck says to Apple: which iPhone, of which team and environment. */
export interface DeviceTokenOf {
  readonly hardware: string;
  readonly teamId: string;
  readonly environment: string;
}

/**
 * A token as an app gets it of `DCDevice.generateToken`: another each time, in base64. Apple's is
 * encrypted; this one is read by the stand-in for Apple alone.
 */
export function makeDeviceToken(of: DeviceTokenOf): string {
  const once = randomBytes(16).toString('hex');
  return Buffer.from(JSON.stringify({ ...of, once })).toString('base64');
}

/** What a token says; null for what is none. */
export function readDeviceToken(token: string): DeviceTokenOf | null {
  const bytes = Buffer.from(token, 'base64');
  if (bytes.toString('base64') !== token) return null;
  try {
    const { hardware, teamId, environment } = Object(JSON.parse(bytes.toString()));
    const isWhole = [hardware, teamId, environment].every((part) => typeof part === 'string');
    return isWhole ? { hardware, teamId, environment } : null;
  } catch {
    return null;
  }
}
