import { PDFDocument } from 'pdf-lib';
import { afterAll, describe, expect, it } from 'vitest';
import { affidavitContent, type AffidavitContent } from '../../../../domain/affidavit/content.ts';
import { imageHeaderOf } from '../../../../domain/images/image-header.ts';
import { createDevice } from '../../../../simulator/device/device.ts';
import { phoneCheck } from '../../../../simulator/session/check.ts';
import { devTrust } from '../../../support/checks/phone.ts';
import { call, newNumber, type Answer } from '../../../support/http/client.ts';
import { eventually, openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, baseUrl, databaseUrl } = ownPlatform();
const token = own.api_key;
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

/** Passes a passport check with a phone that consents to all claims. */
async function checked(requested_claims: readonly string[]): Promise<string> {
  const body = { required_proofs: ['nfc_passport'], requested_claims };
  const link = await call('PUT', `/v2/link/${own.app_id}`, { token, body });
  const trust = await devTrust();
  const session = await phoneCheck({
    link: String(link.body['url']),
    number: newNumber(),
    trust,
    device: createDevice({ platform: 'ios', trust, now: () => new Date() }),
    say: () => undefined,
  });
  expect(session.status).toBe('passed');
  return session.link_session_id;
}

const read = (id: string): Promise<Answer> => call('GET', `/v2/trust-checks/${id}`, { token });
const withAffidavit = (id: string): Promise<Answer> =>
  eventually('the affidavit', async () => {
    const answer = await read(id);
    const { status } = Object(answer.body['affidavit']);
    return status === 'available' ? answer : null;
  });

async function subjectIn(id: string): Promise<AffidavitContent['subject']> {
  const path = `/v2/affidavits/${own.app_id}/${id}/download`;
  const { headers } = await call('GET', path, { token });
  const pdf = await (await fetch(headers.get('location') ?? '')).arrayBuffer();
  const document = await PDFDocument.load(pdf, { updateMetadata: false });
  const json = Buffer.from(document.getAttachments()[0]?.data ?? []).toString('utf8');
  return affidavitContent.parse(JSON.parse(json)).subject;
}

async function imageAt(address: string): Promise<Buffer | number> {
  const answer = await fetch(address, { redirect: 'manual' });
  const location = answer.headers.get('location');
  if (location === null) return answer.status;
  const image = await fetch(location);
  expect(image.headers.get('content-type')).toBe('image/jpeg');
  return Buffer.from(await image.arrayBuffer());
}

const photosOf = async (id: string): Promise<number> => {
  const sql = 'SELECT 1 FROM photos WHERE link_session_id = $1';
  return (await db.query(sql, [id])).rows.length;
};

describe('the claim photo', () => {
  it('is the chip portrait: served by URL, shown in the affidavit, removed by redaction', async () => {
    const id = await checked(['full_name', 'photo']);
    const { body } = await withAffidavit(id);
    const { photo, ...others } = Object(body['claims']);
    expect(others).toEqual({ full_name: 'ANNA MARIA ERIKSSON' });
    expect(photo).toMatch(new RegExp(`^${baseUrl}/v2/photo/photos/[\\w-]{43}\\.jpg$`));
    const image = await imageAt(String(photo));
    if (typeof image === 'number') throw new Error(`no image: ${image}`);
    expect(imageHeaderOf(image)).toMatchObject({ mediaType: 'image/jpeg', height: 400 });
    const subject = await subjectIn(id);
    expect(subject.photo?.jpeg).toBe(image.toString('base64'));
    expect(subject.claims).toEqual({ full_name: 'ANNA MARIA ERIKSSON' });
    const { affidavit_id: affidavitId } = Object(body['affidavit']);
    const verified = await call('GET', `/verify/${affidavitId}`);
    expect(verified.status).toBe(200);

    expect((await call('POST', `/v2/trust-checks/${id}/redact`, { token })).status).toBe(200);
    expect(await imageAt(String(photo))).toBe(404);
    expect((await read(id)).body['claims']).toEqual({});
    expect(await photosOf(id)).toBe(0);
  });

  it('is not stored if the link does not request it', async () => {
    const id = await checked(['full_name']);
    expect((await withAffidavit(id)).body['claims']).toEqual({ full_name: 'ANNA MARIA ERIKSSON' });
    expect(await photosOf(id)).toBe(0);
    const { photo, absent_claims: absent } = await subjectIn(id);
    expect([photo, absent['photo']]).toEqual([null, 'not_requested']);
  });

  it('is absent after the images of the check were removed', async () => {
    const id = await checked(['photo']);
    expect((await withAffidavit(id)).body['claims']).toHaveProperty('photo');
    const sql = 'UPDATE trust_checks SET images_removed_at = now() WHERE link_session_id = $1';
    await db.query(sql, [id]);
    expect((await read(id)).body['claims']).toEqual({});
  });
});
