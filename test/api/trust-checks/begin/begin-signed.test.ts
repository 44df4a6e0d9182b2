import { afterAll, describe, expect, it } from 'vitest';
import { enrolledPhone, signedCall } from '../../../support/checks/phone.ts';
import { newLink, type Answer } from '../../../support/http/client.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const db = openTestDb(ownPlatform().databaseUrl);
afterAll(() => db.end());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];

describe('a phone that signs trust-checks.begin', () => {
  it('is paired at once, and any other phone is refused', async () => {
    const link_uuid = await newLink({ required_proofs: ['device'], single_use: true });
    const [device, other] = [await enrolledPhone(), await enrolledPhone('android')];
    const begin = (phone: typeof device, client = 'mobile', resume_token?: unknown) =>
      signedCall(phone, 'POST', '/v2/trust-checks', { body: { link_uuid, client, resume_token } });
    const begun = await begin(device);
    expect(begun.status).toBe(201);
    expect(begun.body).toMatchObject({
      status: 'paired',
      poly_user_id: device.enrolled?.polyUserId,
      paired_at: expect.any(String),
    });
    expect(outcome(await begin(other))).toEqual([409, 'already_begun']);
    const id = begun.body['link_session_id'];
    const again = await begin(device);
    expect([again.status, again.body['link_session_id']]).toEqual([201, id]);
    // The device alone decides: this removes the person of the check.
    await db.query('UPDATE trust_checks SET poly_user_id = NULL WHERE link_session_id = $1', [id]);
    const { resume_token } = begun.body;
    expect(outcome(await begin(other, 'mobile', resume_token))).toEqual([409, 'already_paired']);
  });

  it('is not paired when the client is a web page', async () => {
    const link_uuid = await newLink();
    const device = await enrolledPhone();
    const body = { link_uuid, client: 'web' };
    const begun = await signedCall(device, 'POST', '/v2/trust-checks', { body });
    expect([begun.status, begun.body['status']]).toEqual([201, 'created']);
  });
});
