import { afterAll, expect, it } from 'vitest';
import { agedBy } from '../../cert-users.ts';
import { goodBundle, portalLogin } from '../../bundles.ts';
import { call, type Answer } from '../../client.ts';
import { emailSession } from '../../email-users.ts';
import { openTestDb } from '../../harness.ts';
import { askLink, newAddress, tokenTo } from '../../mailbox.ts';
import { ownPlatform } from '../../own-platform.ts';
import { enrolledPhone } from '../../phone.ts';

const db = openTestDb(ownPlatform().databaseUrl);
afterAll(() => db.end());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];

it('asks a person with a device for its proof within 15 minutes; their mail may take longer', async () => {
  const device = await enrolledPhone();
  const { body: session } = await portalLogin(await goodBundle(device));
  const token = String(session['session_token']);
  const address = newAddress();
  const unproven = [403, 'step_up_required'];
  const stale = await askLink(agedBy(token, 901), { email: address });
  expect(outcome(stale.answer)).toEqual(unproven);
  const byMail = await emailSession(db, device.enrolled?.polyUserId ?? '');
  expect(outcome((await askLink(byMail, { email: address })).answer)).toEqual(unproven);
  const { answer, cookie } = await askLink(token, { email: address });
  expect(answer.status).toBe(202);
  const body = { token: await tokenTo(address) };
  const late = { token: agedBy(token, 901), body, headers: { cookie } };
  expect((await call('POST', '/v2/email/link/verify', late)).status).toBe(200);
});
