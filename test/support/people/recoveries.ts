import type { Seed } from '../../../cli/data-directory/seed.ts';
import type { Db } from '../../../db/client.ts';
import { addMembership } from '../../../db/queries/seeding.ts';
import type { Role } from '../../../domain/names.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import { devTrust, enrolledPhone, newPhone } from '../checks/phone.ts';
import { call, newNumber, type Answer } from '../http/client.ts';
import { eventually } from '../platform/harness.ts';
import { signInBy } from './email-users.ts';
import { newAddress } from './mailbox.ts';

/** A member with a device and a login email, who has passed a check of the account by default. */
export interface Subject {
  readonly polyUserId: string;
  readonly address: string;
  readonly phone: Device;
  readonly at: string;
}

export async function newSubject(
  db: Db,
  account: Seed,
  { roles = ['MEMBER'], isKnown = true }: { roles?: readonly Role[]; isKnown?: boolean } = {},
): Promise<Subject> {
  const phone = await enrolledPhone();
  const polyUserId = phone.enrolled?.polyUserId ?? '';
  await addMembership(db, [polyUserId, account.account_id, roles, new Date()]);
  const address = newAddress();
  const { identityId } = await signInBy(db, address);
  await db.query('UPDATE login_emails SET poly_user_id = $2 WHERE identity_id = $1', [
    identityId,
    polyUserId,
  ]);
  if (isKnown) await passCheck(account, phone);
  const at = `/v2/accounts/${account.account_id}/members/${polyUserId}/recoveries`;
  return { polyUserId, address, phone, at };
}

/** Passes a check with the specimen's passport on this phone. */
async function passCheck(account: Seed, phone: Device): Promise<void> {
  const made = await call('PUT', `/v2/link/${account.app_id}`, {
    token: account.api_key,
    body: { required_proofs: ['nfc_passport'] },
  });
  await check(String(made.body['url']), phone);
}

async function check(link: string, device: Device): Promise<void> {
  const options = { link, number: newNumber(), trust: await devTrust(), device };
  const { status, proofs } = await phoneCheck({ ...options, say: () => undefined });
  if (status !== 'passed') throw new Error(`${status}: ${JSON.stringify(proofs)}`);
}

export const openRecovery = (account: Seed, subject: Subject, token: string): Promise<Answer> =>
  call('POST', subject.at, { token, body: { app_id: account.app_id } });

/** Waits for a mailed link to this address in the outbox. Returns the newest. */
export function mailedLink(address: string): Promise<string> {
  return eventually(`a link to ${address}`, async () => {
    const texts = await textsTo(address);
    return texts.flatMap((text) => /https?:\S+#t=[A-Za-z0-9_-]+/.exec(text)?.[0] ?? [])[0];
  });
}

/** The mails to an address, newest first. */
export async function textsTo(address: string): Promise<string[]> {
  const { body } = await call('GET', '/outbox/messages?limit=200');
  const items = body['items'] as { recipient: string; text: string }[];
  return items.filter(({ recipient }) => recipient === address).map(({ text }) => text);
}

/** Runs the check of a recovery on a phone that is not enrolled. */
export async function proveRecovery({ address }: Subject): Promise<void> {
  await check(await mailedLink(address), await newPhone());
}
