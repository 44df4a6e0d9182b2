import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gatherContent } from '../../../activities/affidavit/gather.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { findAffidavit, type AffidavitRow } from '../../../db/queries/affidavits.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import { createDevice } from '../../../simulator/device/device.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import { leadingTo } from '../../support/checks/leading-to.ts';
import { devTrust, enrolledPhone, pairedSession, signedCall } from '../../support/checks/phone.ts';
import { namedIn } from '../../support/fixtures/affidavits/named-in.ts';
import {
  beginSession,
  call,
  codeFor,
  collecting,
  newLink,
  newNumber,
  withAffidavit,
  type Session,
} from '../../support/http/client.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { ownStore } from '../../support/keys/own-store.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, baseUrl, databaseUrl, dataDir } = ownPlatform();
leadingTo('https://example.test');
const token = own.api_key;
const keys = loadKeys(join(dataDir, 'keys'));
const db = openTestDb(databaseUrl);
const sealer = ownSealer(db);
afterAll(() => db.end());

async function patch(link: string, body: Record<string, unknown>): Promise<void> {
  const patched = await call('PATCH', `/v2/${link}`, { token, body });
  expect(patched.status).toBe(200);
}

async function proved(session: Session, number: string): Promise<Record<string, unknown>> {
  await session.lead('phone/code', { phone_number: number });
  await session.lead('proofs/phone', { code: await codeFor(number) });
  return (await call('GET', `/v2/trust-checks/${session.id}`, { token })).body;
}

async function affidavitOf(id: string): Promise<AffidavitRow> {
  return eventually('the affidavit', async () => {
    const { body } = await call('GET', `/v2/trust-checks/${id}`, { token });
    const { status, affidavit_id } = body['affidavit'] as Record<string, string>;
    return status === 'available' && affidavit_id ? findAffidavit(db, affidavit_id) : null;
  });
}

async function frozenIn({ affidavit_id, content_sealed }: AffidavitRow): Promise<unknown> {
  const context = `affidavits|content|${affidavit_id}`;
  const sealed = content_sealed ?? Buffer.alloc(0);
  const opened = await sealer.open(accountOwner(own.account_id), context, sealed);
  return JSON.parse(opened.toString());
}

describe('a link that is changed while a check on it runs', () => {
  it('does not change the requirements of the running check', async () => {
    const number = newNumber();
    const link = await newLink({
      title: 'Opening of an account',
      policy: { min_level: 'low' },
      matching_params: { phone_number: number },
    });
    const session = await collecting(link);
    await patch(link, {
      title: 'Another purpose',
      policy: { min_level: 'high' },
      matching_params: { phone_number: newNumber() },
    });
    expect(await proved(session, number)).toMatchObject({
      status: 'passed',
      reason_code: null,
      matching: { phone_number: 'match' },
    });
    await withAffidavit(session);
    expect(await frozenIn(await affidavitOf(session.id))).toMatchObject({
      requester: { purpose: 'Opening of an account', app_id: own.app_id },
      matching: { phone_number: 'match' },
      policy: { rules: { min_level: 'low' } },
    });
    const later = await collecting(link);
    expect(await proved(later, newNumber())).toMatchObject({
      status: 'failed',
      matching: { phone_number: 'mismatch' },
    });
  });

  it('does not change the redirect URL and pairing policy of the running check', async () => {
    const redirect_url = 'https://example.test/first';
    const link = await newLink({ redirect_url });
    const device = await enrolledPhone();
    const paired = await pairedSession(device, link);
    const web = await beginSession(link);
    await patch(link, {
      redirect_url: 'https://example.test/second',
      policy: { web_allowed: false },
    });
    const body = { link_session_id: paired.id };
    const done = await signedCall(device, 'POST', `/v2/${link}`, { body });
    expect(done.body['redirect_url']).toBe(redirect_url);
    await web.lead('open');
    expect((await web.step('pair')).status).toBe(200);
    const later = await beginSession(link);
    const refused = await later.step('pair');
    expect([refused.status, refused.body['code']]).toEqual([409, 'device_required']);
  });
});

describe('an affidavit whose content is gathered late', () => {
  it('contains the facts as they were at the decision', async () => {
    const trust = await devTrust();
    const link = await newLink({ required_proofs: ['device', 'phone'], title: 'First purpose' });
    const { link_session_id: id } = await phoneCheck({
      link: `${baseUrl}/v2/${link}`,
      number: newNumber(),
      trust,
      device: createDevice({ platform: 'ios', trust, now: () => new Date() }),
      say: () => undefined,
    });
    const row = await affidavitOf(id);
    const frozen = await frozenIn(row);
    expect(frozen).toMatchObject({ device: { revoked_at: null } });

    await patch(link, { title: 'Another purpose', policy: { allowed_countries: ['UTO'] } });
    await call('POST', `/v2/trust-checks/${id}/revoke`, { token });
    await db.query(
      `UPDATE devices d SET revoked_at = now() FROM trust_checks t
       WHERE t.link_session_id = $1 AND t.device_id = d.device_id`,
      [id],
    );
    const { rows } = await db.query('SELECT name FROM apps WHERE app_id = $1', [own.app_id]);
    await db.query('UPDATE apps SET name = $2 WHERE app_id = $1', [own.app_id, 'Renamed']);
    const named = namedIn(keys, baseUrl);
    const deps = { db, sealer, store: ownStore(), keys, baseUrl, ...named };
    try {
      expect(await gatherContent(deps, row)).toEqual(frozen);
    } finally {
      await db.query('UPDATE apps SET name = $2 WHERE app_id = $1', [own.app_id, rows[0]?.name]);
    }
  });
});
