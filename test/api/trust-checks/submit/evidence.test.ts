import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Device } from '../../../../simulator/device/device.ts';
import { insertChip, type Chip } from '../../../../simulator/passport/chip.ts';
import {
  devTrust,
  enrolledPhone,
  pairedSession,
  signedCall,
} from '../../../support/checks/phone.ts';
import {
  beginSession,
  call,
  collecting,
  newLink,
  passedSession,
  type Session,
} from '../../../support/http/client.ts';
import { eventually, openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, databaseUrl, dataDir } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

async function put(session: Session, name: string, bytes: Uint8Array, token = session.token) {
  return call('PUT', `/v2/trust-checks/${session.id}/evidence/${name}`, {
    token,
    raw: bytes,
    headers: { 'content-type': 'application/octet-stream' },
  });
}

describe('trust-checks.upload', () => {
  it('stores bytes by their hash and detects the type by magic bytes', async () => {
    const session = await collecting(await newLink());
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(64)]);
    const kept = await put(session, 'front.jpg', png);
    expect(kept.status).toBe(200);
    expect(kept.body).toEqual({
      evidence_id: expect.stringMatching(/^ev_[0-9a-z]{26}$/),
      sha256: createHash('sha256').update(png).digest('hex'),
      size_bytes: png.length,
      content_type: 'image/png',
    });
    expect((await put(session, 'front.jpg', png)).body).toEqual(kept.body);
    const other = await put(session, 'back.jpg', png);
    expect(other.body['evidence_id']).not.toBe(kept.body['evidence_id']);
  });

  it('refuses uploads before consent and after the decision', async () => {
    const early = await beginSession(await newLink());
    await early.step('open');
    expect((await put(early, 'x', Buffer.from('x'))).body['code']).toBe('invalid_state');
    await early.step('pair');
    expect((await put(early, 'x', Buffer.from('x'))).body['code']).toBe('consent_required');
    const late = await passedSession();
    const refused = await put(late, 'x', Buffer.from('x'));
    expect([refused.status, refused.body['code']]).toEqual([409, 'invalid_state']);
  });

  it('accepts only the session’s own token, valid names and at most 10 MiB', async () => {
    const session = await collecting(await newLink());
    const other = await collecting(await newLink());
    expect((await put(session, 'x', Buffer.from('x'), other.token)).status).toBe(404);
    expect((await put(session, 'x', Buffer.from('x'), 'nonsense')).status).toBe(401);
    expect((await put(session, 'x', Buffer.alloc(0))).status).toBe(422);
    expect((await put(session, '%2e%2e%2fx', Buffer.from('x'))).status).toBe(422);
    expect((await put(session, 'a'.repeat(65), Buffer.from('x'))).status).toBe(422);
    const large = await put(session, 'x', Buffer.alloc(10 * 1024 * 1024 + 1));
    expect([large.status, large.body['code']]).toEqual([413, 'too_large']);
  });

  it('accepts forty files per session, even concurrently', async () => {
    const session = await collecting(await newLink());
    const answers = await Promise.all(
      Array.from({ length: 44 }, (_, index) => put(session, `f${index}`, Buffer.from([index]))),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(40);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ body }) => body['code'])).toEqual(Array(4).fill('evidence_limit'));
  });

  it('keeps the upload record of an object that is refused after it was stored', async () => {
    const session = await collecting(await newLink());
    const tx = await db.connect();
    await tx.query('BEGIN');
    await tx.query('SELECT FROM trust_checks WHERE link_session_id = $1 FOR UPDATE', [session.id]);
    const late = put(session, 'late', Buffer.from('late'));
    const folder = join(dataDir, 'objects', 'evidence', session.id);
    await eventually(
      'the object',
      async () => existsSync(folder) && readdirSync(folder).length > 0,
    );
    await tx.query(`UPDATE trust_checks SET status = 'in_review' WHERE link_session_id = $1`, [
      session.id,
    ]);
    await tx.query('COMMIT');
    tx.release();
    const { status, body } = await late;
    expect([status, body['code']]).toEqual([409, 'invalid_state']);
    const { rows } = await db.query(
      'SELECT object_key, swept_at FROM evidence_uploads WHERE object_key LIKE $1',
      [`evidence/${session.id}/%`],
    );
    const [object] = readdirSync(folder);
    expect(rows).toEqual([{ object_key: `evidence/${session.id}/${object}`, swept_at: null }]);
  });
});

describe('proofs.challenge', () => {
  it('returns eight bytes for a proof that the check requires', async () => {
    const link = await newLink({ required_proofs: ['nfc_passport'] });
    const device = await enrolledPhone();
    const session = await pairedSession(device, link);
    const given = await session.step('challenges', { proof: 'nfc_passport' });
    expect(given.status).toBe(201);
    expect(Buffer.from(String(given.body['challenge']), 'base64url')).toHaveLength(8);
    const unknown = await session.step('challenges', { proof: 'document' });
    expect(unknown.status).toBe(422);
    const web = await collecting(await newLink());
    const unasked = await web.step('challenges', { proof: 'nfc_passport' });
    expect([unasked.status, unasked.body['code']]).toEqual([409, 'proof_not_expected']);
  });
});

describe('the passport proof', () => {
  const submit = (device: Device, session: Session, body: unknown) =>
    signedCall(device, 'POST', `/v2/trust-checks/${session.id}/proofs/nfc_passport`, {
      token: session.token,
      body,
    });

  async function ready(max_attempts = 3) {
    const device = await enrolledPhone();
    const link = await newLink({ required_proofs: ['nfc_passport'], max_attempts });
    const session = await pairedSession(device, link);
    const chip = insertChip(await devTrust(), new Date(), undefined);
    const ids: Record<string, string> = {};
    for (const [name, file] of [...Object.entries(chip.dataGroups), ['SOD', chip.sod] as const]) {
      ids[name] = String((await put(session, name, file)).body['evidence_id']);
    }
    const { SOD: sod, ...data_groups } = ids;
    return { device, session, chip, sod, data_groups };
  }

  async function answered(session: Session, chip: Pick<Chip, 'answer'>) {
    const given = await session.step('challenges', { proof: 'nfc_passport' });
    const answer = chip.answer?.(Buffer.from(String(given.body['challenge']), 'base64url'));
    if (!answer) throw new Error('the chip has no key');
    const kept = await put(session, `AA${randomBytes(4).toString('hex')}`, answer);
    return { challenge_id: given.body['challenge_id'], signature: kept.body['evidence_id'] };
  }

  it('requires an active-authentication answer if the chip has a key', async () => {
    const { device, session, sod, data_groups } = await ready();
    const judged = await submit(device, session, { sod, data_groups });
    expect(judged.body).toMatchObject({ status: 'requires_retry', reason_code: 'aa_missing' });
  });

  it('accepts an answer once, to a challenge of this session', async () => {
    const { device, session, chip, sod, data_groups } = await ready(5);
    const other = await ready();
    const foreign = await answered(other.session, other.chip);
    const stolen = await submit(device, session, {
      sod,
      data_groups,
      active_auth: { ...(await answered(session, chip)), challenge_id: foreign.challenge_id },
    });
    expect(stolen.body).toMatchObject({ reason_code: 'challenge_unknown' });
    const elsewhere = await submit(device, session, { sod, data_groups, active_auth: foreign });
    expect([elsewhere.status, elsewhere.text]).toEqual([
      422,
      expect.stringContaining('evidence_unknown'),
    ]);
    const active_auth = await answered(session, chip);
    const passed = await submit(device, session, { sod, data_groups, active_auth });
    expect(passed.body).toMatchObject({ status: 'passed', provider: 'nfc' });
  });

  it('returns 422 for a malformed body', async () => {
    const { device, session, sod } = await ready();
    for (const body of [
      {},
      { sod },
      { sod: 'x', data_groups: {} },
      { sod, data_groups: { DG99: sod } },
    ]) {
      expect((await submit(device, session, body)).status).toBe(422);
    }
  });

  it('is judged even if its files are far larger than those of any chip', async () => {
    const { device, session } = await ready();
    const ids = await Promise.all(
      ['SOD', 'DG1', 'DG2', 'DG14'].map(async (name) => {
        const kept = await put(session, `huge-${name}`, Buffer.alloc(10 * 1024 * 1024, name));
        return String(kept.body['evidence_id']);
      }),
    );
    const [sod, DG1, DG2, DG14] = ids;
    const judged = await submit(device, session, { sod, data_groups: { DG1, DG2, DG14 } });
    expect(judged.status).toBe(200);
    expect(judged.body['status']).toBe('requires_retry');
  });

  it('gets a verdict on hostile files', async () => {
    const { device, session, data_groups } = await ready();
    const bomb = await put(session, 'SODx', Buffer.alloc(60_000, 0x30));
    const judged = await submit(device, session, { sod: bomb.body['evidence_id'], data_groups });
    expect(judged.body).toMatchObject({ status: 'requires_retry', reason_code: 'malformed' });
  });
});

describe('a single evidence file', () => {
  it('cannot be downloaded from its upload path', async () => {
    const session = await collecting(await newLink());
    const path = `/v2/trust-checks/${session.id}/evidence/front`;
    for (const token of [own.api_key, session.token]) {
      const answer = await call('GET', path, { token });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'OPTIONS, PUT']);
    }
  });
});
