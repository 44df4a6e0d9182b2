import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createEvidenceStore } from '../../../../activities/proofs/evidence/store.ts';
import { createDiskStore } from '../../../../activities/storage/disk.ts';
import { transaction } from '../../../../db/client.ts';
import type { EvidenceRow } from '../../../../db/queries/evidence.ts';
import { lockForRedaction, redactSession } from '../../../../db/queries/redaction.ts';
import {
  beginSession,
  call,
  collecting,
  done,
  newLink,
  type Answer,
  type Session,
} from '../../../support/http/client.ts';
import { ownSealer } from '../../../support/keys/own-sealer.ts';
import { eventually, openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, baseUrl, databaseUrl, dataDir } = ownPlatform();
const token = own.api_key;
const db = openTestDb(databaseUrl);
const disk = createDiskStore({
  directory: join(dataDir, 'objects'),
  baseUrl,
  secret: () => new Uint8Array(32),
  clock: () => new Date(),
});
const store = createEvidenceStore(disk, ownSealer(db));
afterAll(() => db.end());

const file = Buffer.from('89504e470d0a1a0a00', 'hex');
const matching_params = { full_name: 'Expected person' };

const redact = ({ id }: Session): Promise<Answer> =>
  call('POST', `/v2/trust-checks/${id}/redact`, { token });

const cancel = (session: Session): Promise<Answer> => done('cancel', () => session.lead('cancel'));

/** Returns a canceled check with an uploaded file, on a single-use link that is free again. */
async function withFile() {
  const link = await newLink({ single_use: true, matching_params });
  const session = await collecting(link);
  await done('the upload', () =>
    call('PUT', `/v2/trust-checks/${session.id}/evidence/front`, {
      token: session.token,
      raw: file,
      headers: { 'content-type': 'application/octet-stream' },
    }),
  );
  await cancel(session);
  return { link, session };
}

/** Returns the row of the session's only file and its bytes from the store. */
async function fileOf({ id }: Session) {
  const { rows } = await db.query<EvidenceRow>(
    'SELECT * FROM evidence WHERE link_session_id = $1',
    [id],
  );
  const [row] = rows;
  if (!row || rows.length > 1) throw new Error(`${rows.length} files`);
  return { row, bytes: await store.read(own.account_id, row) };
}

async function expectedOf(...sessions: Session[]): Promise<boolean[]> {
  const { rows } = await db.query<{ is_expected: boolean }>(
    `SELECT matching_sealed IS NOT NULL AS is_expected
     FROM unnest($1::text[]) WITH ORDINALITY AS asked (id, place)
     JOIN trust_checks ON link_session_id = id ORDER BY place`,
    [sessions.map(({ id }) => id)],
  );
  return rows.map((row) => row.is_expected);
}

describe('redaction while a check is running', () => {
  it('is refused and removes nothing, and succeeds after the check has ended', async () => {
    const { link, session } = await withFile();
    const before = await fileOf(session);
    expect(Buffer.compare(before.bytes ?? Buffer.alloc(0), file)).toBe(0);
    const second = await beginSession(link);
    const refused = await redact(session);
    expect([refused.status, refused.body['code']]).toEqual([409, 'invalid_state']);
    expect(await fileOf(session)).toEqual(before);
    expect((await session.get()).body['redaction_status']).not.toBe('redacted');

    await cancel(second);
    expect((await redact(session)).body['redaction_status']).toBe('redacted');
    const { row, bytes } = await fileOf(session);
    expect(bytes).toBeNull();
    expect(row).toMatchObject({ name: row.evidence_id, removed_at: expect.any(Date) });
  });

  it('is refused while a check runs on a deleted link', async () => {
    const { link, session } = await withFile();
    const second = await beginSession(link);
    // The state before the workers have canceled the sessions of the link.
    await db.query(
      `UPDATE links SET status = 'deleted', ends_sessions = false WHERE link_uuid = $1`,
      [link],
    );
    const refused = await redact(session);
    expect([refused.status, refused.body['code']]).toEqual([409, 'invalid_state']);
    expect((await fileOf(session)).row.removed_at).toBeNull();
    expect(await expectedOf(session, second)).toEqual([true, true]);
    await cancel(second);
    expect((await redact(session)).status).toBe(200);
    expect(await expectedOf(session, second)).toEqual([false, false]);
  });

  it('prevents a new check on its link until it has finished', async () => {
    const { link, session } = await withFile();
    let begun: Promise<Answer> | undefined;
    await transaction(db, async (tx) => {
      await lockForRedaction(tx, session.id);
      await redactSession(tx, session.id, new Date());
      begun = call('POST', '/v2/trust-checks', { body: { link_uuid: link, client: 'web' } });
      await eventually('the begin that waits', async () => {
        const { rows } = await db.query(
          `SELECT 1 FROM pg_stat_activity
           WHERE wait_event_type = 'Lock' AND query ILIKE '%FROM "links"%FOR UPDATE%'`,
        );
        return rows.length > 0;
      });
    });
    const refused = await begun;
    expect([refused?.status, refused?.body['code']]).toEqual([409, 'link_not_active']);
  });
});

describe('redaction of one of two checks of a single-use link', () => {
  it('removes the expected values of both', async () => {
    const link = await newLink({ single_use: true, matching_params });
    const first = await beginSession(link);
    await cancel(first);
    const second = await beginSession(link);
    await cancel(second);
    expect(await expectedOf(first, second)).toEqual([true, true]);
    expect((await redact(second)).status).toBe(200);
    expect(await expectedOf(first, second)).toEqual([false, false]);
    expect((await first.get()).body['redaction_status']).not.toBe('redacted');
  });

  it('succeeds concurrently with the redaction of the other', async () => {
    const link = await newLink({ single_use: true, matching_params });
    const first = await beginSession(link);
    await cancel(first);
    const second = await beginSession(link);
    await cancel(second);
    const answers = await Promise.all([redact(first), redact(second)]);
    expect(answers.map(({ body }) => body['redaction_status'])).toEqual(['redacted', 'redacted']);
  });

  it('keeps the expected values of other checks if the link is reusable', async () => {
    const link = await newLink({ matching_params, max_uses: 5 });
    const first = await beginSession(link);
    const second = await beginSession(link);
    await cancel(first);
    expect((await redact(first)).status).toBe(200);
    expect(await expectedOf(first, second)).toEqual([false, true]);
  });
});
