import { afterAll, describe, expect, it } from 'vitest';
import { enroll, enrolledPhone, newPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { goodBundle, portalLogin } from '../../support/keys/bundles.ts';
import { emailSession, newEmailUser } from '../../support/people/email-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const db = openTestDb(ownPlatform().databaseUrl);
afterAll(() => db.end());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const made = [201, undefined];
const unproved = [403, 'step_up_required'];
const byMail = async (token: string): Promise<unknown[]> =>
  outcome(await enroll(await newPhone(), {}, { token }));

describe('an email session', () => {
  it('can enroll a person’s first phone but not a second', async () => {
    const { token, polyUserId } = await newEmailUser(db);
    const phone = await newPhone();
    expect(outcome(await enroll(phone, {}, { token }))).toEqual(made);
    expect(phone.enrolled?.polyUserId).toBe(polyUserId);
    expect(await byMail(token)).toEqual(unproved);
    const { body } = await portalLogin(await goodBundle(phone));
    expect(await byMail(String(body['session_token']))).toEqual(made);
  });

  it('enrolls one of two concurrent first phones', async () => {
    const { token } = await newEmailUser(db);
    const both = await Promise.all([byMail(token), byMail(token)]);
    expect(both.toSorted((a, b) => Number(a[0]) - Number(b[0]))).toEqual([made, unproved]);
  });

  it('cannot enroll another phone after the only one was revoked', async () => {
    const phone = await enrolledPhone();
    const { deviceId = '', polyUserId = '' } = phone.enrolled ?? {};
    const token = await emailSession(db, polyUserId);
    expect(await byMail(token)).toEqual(unproved);
    const path = `/v2/devices/${deviceId}`;
    expect(outcome(await call('DELETE', path, { token }))).toEqual(unproved);
    const { body } = await portalLogin(await goodBundle(phone));
    const byPhone = String(body['session_token']);
    expect((await call('DELETE', path, { token: byPhone })).status).toBe(200);
    expect(await byMail(token)).toEqual(unproved);
    // By now the owner has had enough time to notice.
    await db.query('UPDATE certificates SET not_after = now() WHERE poly_user_id = $1', [
      polyUserId,
    ]);
    expect(await byMail(token)).toEqual(made);
  });
});
