import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlaces } from '../../../../activities/runtime/places.ts';
import { piecesOf } from '../../../../api/trust-checks/read/evidence.ts';
import type { Db } from '../../../../db/client.ts';
import { findTrustCheck } from '../../../../db/queries/trust-checks.ts';
import { accountOwner } from '../../../../db/sealing/sealed.ts';
import { call, passedSession, withAffidavit, type Session } from '../../../support/http/client.ts';
import { ownSealer } from '../../../support/keys/own-sealer.ts';
import { eventually, openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, baseUrl, databaseUrl } = ownPlatform();
let db: Db;
beforeAll(() => {
  db = openTestDb(databaseUrl);
});
afterAll(() => db.end());

const lineBytes = 6 * 1024 * 1024;

/**
 * Returns a decided session with three large evidence files, far larger than a connection's
 * buffers.
 */
async function withLargeEvidence(): Promise<Session> {
  const session = await passedSession();
  await withAffidavit(session);
  const sealer = ownSealer(db);
  const { rows } = await db.query<{ submission_id: string }>(
    'SELECT submission_id FROM proof_submissions WHERE link_session_id = $1',
    [session.id],
  );
  const id = rows[0]?.submission_id ?? '';
  const files = Array.from({ length: 3 }, () => ({
    kind: 'mrz',
    filler: 'é'.repeat(lineBytes / 2),
  }));
  const sealed = await sealer.seal(
    accountOwner(own.account_id),
    `proof_submissions|evidence|${id}`,
    JSON.stringify({ files, images: [] }),
  );
  // The files are no real evidence, so the hash would not match.
  await db.query(
    `UPDATE proof_submissions SET evidence_sealed = $2, evidence_hash = NULL
     WHERE submission_id = $1`,
    [id, sealed],
  );
  return session;
}

/** Starts an export without reading its body. */
async function begin(session: Session, end?: AbortSignal) {
  const response = await fetch(`${baseUrl}/v2/trust-checks/${session.id}/evidence`, {
    headers: { authorization: `Bearer ${own.api_key}` },
    ...(end ? { signal: end } : {}),
  });
  expect([response.status, response.status === 200 ? '' : await response.text()]).toEqual([
    200,
    '',
  ]);
  if (!response.body) throw new Error('no body');
  return response.body.getReader();
}

async function readAll(reader: Awaited<ReturnType<typeof begin>>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(parts);
    parts.push(value);
  }
}

describe('trust-checks.evidence', () => {
  it('streams large files in pieces that form complete lines', async () => {
    const session = await withLargeEvidence();
    const lines = (await readAll(await begin(session))).toString().split('\n');
    expect(lines.pop()).toBe('');
    expect(
      lines.map((line) => Object(JSON.parse(line)).filler === 'é'.repeat(lineBytes / 2)),
    ).toEqual([true, true, true]);
  });

  it('is aborted when the session is redacted during the export, and returns 410 afterwards', async () => {
    const session = await withLargeEvidence();
    const reader = await begin(session);
    const first = await reader.read();
    expect(first.value?.length).toBeGreaterThan(0);
    const redacted = await call('POST', `/v2/trust-checks/${session.id}/redact`, {
      token: own.api_key,
      body: {},
    });
    expect(redacted.status).toBe(200);
    // The bytes sent before the redaction are an incomplete export, and the client can detect that.
    await expect(readAll(reader)).rejects.toThrow('terminated');
    const after = await call('GET', `/v2/trust-checks/${session.id}/evidence`, {
      token: own.api_key,
    });
    expect([after.status, after.body['code']]).toEqual([410, 'gone']);
  });

  it('returns 410, not an empty export, if the redaction follows the lookup', async () => {
    const session = await passedSession();
    await withAffidavit(session);
    const found = (await findTrustCheck(db, session.id)) ?? expect.fail('no session');
    const exports = createPlaces({ most: 1, mostOfAccount: 1, retryAfterSeconds: 1 });
    const deps = { db, sealer: ownSealer(db), files: { exports } };
    const pieces: Uint8Array[] = [];
    for await (const piece of piecesOf(deps, found)) pieces.push(piece);
    expect(JSON.parse(Buffer.concat(pieces).toString())).toMatchObject({ kind: 'sms-code' });
    const path = `/v2/trust-checks/${session.id}/redact`;
    expect((await call('POST', path, { token: own.api_key, body: {} })).status).toBe(200);
    await expect(piecesOf(deps, found).next()).rejects.toMatchObject({ code: 'gone' });
  });

  it('allows two concurrent exports per account and frees a place when a reader disconnects', async () => {
    const session = await withLargeEvidence();
    const gone = new AbortController();
    await begin(session, gone.signal);
    await begin(session, gone.signal);
    const ask = () =>
      call('GET', `/v2/trust-checks/${session.id}/evidence`, { token: own.api_key });
    const refused = await ask();
    expect([refused.status, refused.body['code'], refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '10',
    ]);
    gone.abort();
    await eventually('a place', async () => (await ask()).status === 200);
  });
});
