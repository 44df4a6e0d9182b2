import { afterAll, expect, it } from 'vitest';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { goodBundle, portalLogin } from '../../support/keys/bundles.ts';
import { agedBy } from '../../support/people/cert-users.ts';
import { emailSession } from '../../support/people/email-users.ts';
import { askLink, newAddress, tokenTo } from '../../support/people/mailbox.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const db = openTestDb(ownPlatform().databaseUrl);
afterAll(() => db.end());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];

it('email.requestLink needs a device proof within 15 minutes; the emailed token may arrive later', async () => {
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
