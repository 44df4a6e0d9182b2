import { randomBytes } from 'node:crypto';
import type { Device } from '../device/device.ts';
import type { Call } from './client.ts';

interface Enrolled {
  readonly device_id: string;
  readonly poly_user_id: string;
  readonly certificate_chain: string[];
}

/** Enrolls a phone like the app on its first run. Does nothing if it is enrolled. */
export async function enroll(
  call: Call,
  device: Device,
  appId: string,
  sessionToken?: string,
): Promise<void> {
  if (device.enrolled) return;
  const { challenge } = await call<{ challenge: string }>('POST', '/v2/devices/challenge');
  const enrolled = await call<Enrolled>('POST', '/v2/devices', {
    body: await device.enrollment(challenge, appId),
    idempotencyKey: randomBytes(16).toString('hex'),
    ...(sessionToken ? { token: sessionToken } : {}),
  });
  device.enrolled = {
    deviceId: enrolled.device_id,
    polyUserId: enrolled.poly_user_id,
    certificateChain: enrolled.certificate_chain,
  };
}
