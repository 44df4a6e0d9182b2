import type { Db } from '../../../db/client.ts';
import * as seeding from '../../../db/queries/seeding.ts';
import type { AppleIdentity } from '../../../domain/identity/app-identities.ts';
import { createDevice, type Device } from '../../../simulator/device/device.ts';
import type { DevTrust } from '../../../simulator/roots/dev-trust.ts';
import type { Call } from '../../../simulator/session/client.ts';
import { enroll } from '../../../simulator/session/enroll.ts';

export interface TeamApp {
  readonly appId: string;
  readonly apple: AppleIdentity;
}

/** Adds a unique app of a team. */
export async function appOfTeam(db: Db, accountId: number, team_id: string): Promise<TeamApp> {
  const appId = `receipts-${process.pid}-${Math.floor(Math.random() * 1e9)}`;
  const apple = { team_id, bundle_id: `dev.trustcheck.${appId}` };
  const looks = [true, null, [], ['phone'], null, '1', null];
  const values = [appId, accountId, 'An app', ...looks, JSON.stringify(apple), null, new Date()];
  await seeding.addApp(db, values);
  return { appId, apple };
}

/** Enrolls an iPhone with an app, on this hardware or on new hardware. */
export async function iphoneWith(
  call: Call,
  trust: DevTrust,
  { appId, apple }: TeamApp,
  hardware?: string,
): Promise<Device> {
  const device = createDevice({ platform: 'ios', trust, now: () => new Date(), apple, hardware });
  await enroll(call, device, appId);
  return device;
}
