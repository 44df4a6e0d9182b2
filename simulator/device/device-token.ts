import { randomBytes } from 'node:crypto';

/** Content of a DeviceCheck token: the iPhone, its team and environment. */
export interface DeviceTokenOf {
  readonly hardware: string;
  readonly teamId: string;
  readonly environment: string;
}

/**
 * Makes a token like `DCDevice.generateToken`: base64, and different each time. Apple's tokens are
 * encrypted; only the stand-in for Apple reads these.
 */
export function makeDeviceToken(of: DeviceTokenOf): string {
  const once = randomBytes(16).toString('hex');
  return Buffer.from(JSON.stringify({ ...of, once })).toString('base64');
}

/** Returns the content of a token; null if it is not one. */
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
