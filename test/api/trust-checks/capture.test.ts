import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatherContent } from '../../../activities/affidavit/gather.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { findAffidavit } from '../../../db/queries/affidavits.ts';
import type { AffidavitContent } from '../../../domain/affidavit/content.ts';
import { evidenceHashOf } from '../../../domain/evidence/binding.ts';
import { parseEvidence } from '../../../domain/judging/files.ts';
import { createDevice } from '../../../simulator/device/device.ts';
import { photographDocument } from '../../../simulator/document/camera.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import { devTrust } from '../../support/checks/phone.ts';
import { namedIn } from '../../support/fixtures/affidavits/named-in.ts';
import {
  call,
  collecting,
  newLink,
  newNumber,
  withAffidavit,
  type Answer,
  type Session,
} from '../../support/http/client.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { ownStore } from '../../support/keys/own-store.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl, dataDir, own } = ownPlatform();
const token = own.api_key;
const db = openTestDb(databaseUrl);
const keys = loadKeys(join(dataDir, 'keys'));
const store = ownStore();
const deps = { db, sealer: ownSealer(db), store, keys, baseUrl, ...namedIn(keys, baseUrl) };
let page: Uint8Array;

beforeAll(async () => {
  ({ front: page } = await photographDocument(new Date()));
});
afterAll(() => db.end());

const capturesIn = ({ body }: Answer): unknown[] =>
  (body['proofs'] as { capture: unknown }[]).map(({ capture }) => capture);

const sessionOf = (id: string): Promise<Answer> => call('GET', `/v2/trust-checks/${id}`, { token });

/** Returns the evidence of a session as it is exported. */
async function filesOf(id: string): Promise<Record<string, unknown>[]> {
  const { text } = await call('GET', `/v2/trust-checks/${id}/evidence`, { token });
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function contentOf(session: Pick<Session, 'get'>): Promise<AffidavitContent> {
  const { body } = await withAffidavit(session as Session);
  const { affidavit_id: id } = body['affidavit'] as { affidavit_id: string };
  const row = await findAffidavit(db, id);
  if (!row) throw new Error('there is no affidavit');
  return gatherContent(deps, row);
}

const wordsOn = ({ limitations }: AffidavitContent): string | undefined =>
  limitations.find((text) => text.startsWith('Photographed document: '));
const browserWords = 'A browser cannot prove that they come from a camera';

describe('the capture of a proof', () => {
  it('is `browser` in session, event, evidence and affidavit of a check in a browser', async () => {
    const session = await collecting(await newLink({ required_proofs: ['document'] }));
    expect(capturesIn(await session.get())).toEqual([null]);
    const sent = await call('PUT', `/v2/trust-checks/${session.id}/evidence/front.jpg`, {
      token: session.token,
      raw: page,
      headers: { 'content-type': 'application/octet-stream' },
    });
    const front = sent.body['evidence_id'];
    const capture_signals = ['automated'];
    const judged = await session.lead('proofs/document', { front, capture_signals });
    expect([judged.status, judged.body]).toEqual([
      200,
      expect.objectContaining({ status: 'passed', capture: 'browser' }),
    ]);
    const told = await sessionOf(session.id);
    expect(capturesIn(told)).toEqual(['browser']);
    expect(told.body['decision']).toMatchObject({ level: 'low' });
    const events = await call('GET', `/v2/trust-checks/${session.id}/events`, { token });
    const items = events.body['items'] as { type: string; data: { object: unknown } }[];
    const passed = items.find(({ type }) => type === 'trust_check.passed');
    expect(passed?.data.object).toMatchObject({ proofs: [{ capture: 'browser' }] });
    const files = await filesOf(session.id);
    expect(files.map((file) => file['capture'])).toEqual(['browser']);
    const content = await contentOf(session);
    expect(content.proofs).toMatchObject([
      { type: 'document', capture: 'browser', capture_signals },
    ]);
    expect(wordsOn(content)).toContain(browserWords);
    expect(wordsOn(content)).toContain('This browser reported: a program controls it.');
  });

  it('is bound by the evidence hash and must be `browser` or `app`', async () => {
    const session = await collecting(await newLink({ required_proofs: ['document'] }));
    const sent = await call('PUT', `/v2/trust-checks/${session.id}/evidence/front.jpg`, {
      token: session.token,
      raw: page,
      headers: { 'content-type': 'application/octet-stream' },
    });
    const { body } = await session.lead('proofs/document', { front: sent.body['evidence_id'] });
    const files = await filesOf(session.id);
    expect(evidenceHashOf(files)).toBe(body['evidence_hash']);
    const other = files.map((file) => ({ ...file, capture: 'app' }));
    expect(evidenceHashOf(other)).not.toBe(body['evidence_hash']);
    for (const file of files) {
      expect(parseEvidence(file)).toMatchObject({ capture: 'browser', fault: null });
      expect(() => parseEvidence({ ...file, capture: 'scanner' })).toThrow(
        'capture: not browser or app',
      );
    }
  });

  it('is `app` when an attested phone signs the submissions', async () => {
    const link = await call('PUT', `/v2/link/${own.app_id}`, {
      token,
      body: { required_proofs: ['device', 'document'] },
    });
    const trust = await devTrust();
    const { link_session_id: id } = await phoneCheck({
      link: String(link.body['url']),
      number: newNumber(),
      trust,
      device: createDevice({ platform: 'android', trust, now: () => new Date() }),
      say: () => undefined,
    });
    const get = () => sessionOf(id);
    expect(capturesIn(await get())).toEqual(['app', 'app']);
    const files = await filesOf(id);
    expect(files.length).toBeGreaterThan(2);
    expect(new Set(files.map((file) => file['capture']))).toEqual(new Set(['app']));
    const content = await contentOf({ get });
    expect(content.proofs.map(({ capture }) => capture)).toEqual(['app', 'app']);
    expect(wordsOn(content)).not.toContain(browserWords);
  });
});
