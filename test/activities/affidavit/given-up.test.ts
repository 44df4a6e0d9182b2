import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AffidavitDeps,
  createAffidavitActivities,
} from '../../../activities/affidavit/activities.ts';
import { enterPlatformCertificates } from '../../../activities/keys/certificates/enter-platform-certificates.ts';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import { transaction } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import {
  freezeContent,
  planFailedAgain,
  publishAffidavit,
} from '../../../db/queries/affidavits.ts';
import { revokeBySerial } from '../../../db/queries/certificates.ts';
import { redactSession } from '../../../db/queries/redaction.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import { plannedAffidavits } from '../../../workers/outboxes/starts/affidavit-starts.ts';
import { doneHere } from '../../../workers/threads/heavy-work.ts';
import { namedIn } from '../../support/fixtures/affidavits/named-in.ts';
import { call, passedSession, withAffidavit, type Session } from '../../support/http/client.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { ownStamps } from '../../support/keys/own-stamps.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connectClient } from '../../support/platform/temporal-client.ts';

const { baseUrl, databaseUrl, dataDir, metricsUrls, own } = ownPlatform();
const keys = loadKeys(join(dataDir, 'keys'));
const db = openTestDb(databaseUrl);
const sealer = ownSealer(db);
let folder = '';
let client: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'affidavits-'));
  client = await connectClient();
});
afterAll(async () => {
  await client.connection.close();
  await db.end();
  await rm(folder, { recursive: true, force: true });
});

/** Creates a passed check with a new planned affidavit, with this frozen content or none yet. */
async function planned(status: 'pending' | 'signing', frozen: string | null = null) {
  const session = await passedSession();
  await withAffidavit(session);
  const id = randomIds.make('aff');
  const context = `affidavits|content|${id}`;
  const sealed = frozen && (await sealer.seal(accountOwner(own.account_id), context, frozen));
  await transaction(db, async (tx) => {
    await tx.query(
      `UPDATE trust_checks SET affidavit_status = 'pending', affidavit_id = $2 WHERE link_session_id = $1`,
      [session.id, id],
    );
    await tx.query(
      `UPDATE affidavits SET affidavit_id = $2, status = $3, content_sealed = $4,
         affidavit_key = NULL, sha256 = NULL WHERE link_session_id = $1`,
      [session.id, id, status, sealed],
    );
    await tx.query(`SELECT pg_notify('affidavits', '')`);
  });
  return { session, id };
}

const affidavitOf = async (session: Session): Promise<Record<string, unknown>> => {
  const { body } = await call('GET', `/v2/trust-checks/${session.id}`, { token: own.api_key });
  return body['affidavit'] as Record<string, unknown>;
};
const toldOf = async (session: Session): Promise<string[]> => {
  const { rows } = await db.query<{ type: string }>(
    `SELECT type FROM events WHERE object_id = $1 AND type::text LIKE 'affidavit.%' ORDER BY seq`,
    [session.id],
  );
  return rows.map(({ type }) => type);
};

const activities = (change: Partial<AffidavitDeps> = {}) => {
  const clock = (): Date => new Date();
  const secret = () => Buffer.alloc(32);
  const store = createDiskStore({ directory: folder, baseUrl, secret, clock });
  const log = { warn: () => undefined, error: () => undefined };
  const common = { db, ids: randomIds, sealer, store, keys, clock, baseUrl, log };
  const stamps = ownStamps(keys);
  const known = { stamps, ...namedIn(keys, baseUrl) };
  const rest = { heavy: doneHere, ...known, countFailure: () => undefined };
  const deps = { ...common, ...rest, ...change };
  return { store, ...createAffidavitActivities(deps) };
};

describe('an affidavit that cannot be made', () => {
  it('fails with its reason, and is issued once the cause is repaired', async () => {
    const { session, id } = await planned('pending', '{"not":"an affidavit"}');
    const failed = await eventually('its end', async () => {
      const affidavit = await affidavitOf(session);
      return affidavit['status'] === 'failed' && affidavit;
    });
    expect(failed).toMatchObject({ affidavit_id: id, reason_code: 'affidavit_unmakeable' });
    expect(await toldOf(session)).toEqual(['affidavit.available', 'affidavit.failed']);
    const metrics = await Promise.all(metricsUrls.map(async (url) => (await fetch(url)).text()));
    expect(metrics.join('\n')).toMatch(
      /^trustcheck_affidavit_failures_total\{reason="affidavit_unmakeable"\} [1-9]/m,
    );
    const dayAgo = new Date(Date.now() - 24 * 3600_000);
    expect(await planFailedAgain(db, dayAgo)).not.toContain(id);

    await db.query('UPDATE affidavits SET content_sealed = NULL WHERE affidavit_id = $1', [id]);
    const handle = client.workflow.getHandle(`affidavit/${id}`);
    await eventually('the end of its workflow', async () => {
      return (await handle.describe()).status.name === 'FAILED';
    });
    const { events } = await handle.fetchHistory();
    const failure = events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure;
    expect([failure?.message, failure?.stackTrace]).toEqual(['Encoded failure', '']);
    // A worker that starts after the affidavit failed.
    const clock = (): Date => new Date(Date.now() + 120_000);
    const log = pino({ enabled: false });
    const { drain } = plannedAffidavits({ db, client, clock, log });
    await drain(new AbortController().signal);
    const issued = await eventually('the affidavit', async () => {
      const affidavit = await affidavitOf(session);
      return affidavit['status'] === 'available' && affidavit;
    });
    expect(issued).toMatchObject({ affidavit_id: id, reason_code: null });
    expect(issued['sha256']).toMatch(/^[0-9a-f]{64}$/);
    expect(await toldOf(session)).toEqual([
      'affidavit.available',
      'affidavit.failed',
      'affidavit.available',
    ]);
  });

  it('is not retried after its check was redacted', async () => {
    const { session, id } = await planned('signing');
    const ago = new Date(Date.now() - 48 * 3600_000);
    await db.query(
      `UPDATE affidavits SET status = 'failed', failed_at = $2 WHERE affidavit_id = $1`,
      [id, ago],
    );
    await db.query('UPDATE trust_checks SET redacted_at = now() WHERE link_session_id = $1', [
      session.id,
    ]);
    expect(await planFailedAgain(db, ago)).not.toContain(id);
  });

  it('blocks a redaction while it is being made again', async () => {
    const { session, id } = await planned('signing');
    await db.query(
      `UPDATE trust_checks SET affidavit_status = 'failed' WHERE link_session_id = $1`,
      [session.id],
    );
    const redact = () =>
      call('POST', `/v2/trust-checks/${session.id}/redact`, { token: own.api_key });
    const early = await redact();
    expect([early.status, early.body['code']]).toEqual([409, 'invalid_state']);
    await db.query(`UPDATE affidavits SET status = 'failed' WHERE affidavit_id = $1`, [id]);
    expect((await redact()).status).toBe(200);
  });
});

describe('an affidavit of a redacted check', () => {
  const redacted = async () => {
    const { session, id } = await planned('signing');
    await transaction(db, async (tx) => {
      await tx.query(
        `UPDATE trust_checks SET affidavit_status = 'failed' WHERE link_session_id = $1`,
        [session.id],
      );
      await redactSession(tx, session.id, new Date());
    });
    return { session, id };
  };
  const stateOf = async (id: string): Promise<unknown> => {
    const { rows } = await db.query(
      `SELECT status::text, content_sealed, sha256 FROM affidavits WHERE affidavit_id = $1`,
      [id],
    );
    return rows[0];
  };

  it('is not made, ends as failed, and causes no second event', async () => {
    const { session, id } = await redacted();
    const { store, issueAffidavit } = activities();
    await expect(issueAffidavit({ affidavit_id: id })).rejects.toMatchObject({ code: 'gone' });
    expect(await stateOf(id)).toEqual({ status: 'failed', content_sealed: null, sha256: null });
    const key = `affidavits/${own.account_id}/${session.id}/${id}/v1.pdf`;
    expect(await store.get(key)).toBeNull();
    expect(await toldOf(session)).toEqual(['affidavit.available']);
  });

  it('keeps no content, and is not published by an attempt that began earlier', async () => {
    const { session, id } = await redacted();
    const row = { affidavit_id: id, link_session_id: session.id };
    await transaction(db, (tx) => freezeContent(tx, row, Buffer.from('late')));
    const late = transaction(db, (tx) =>
      publishAffidavit(tx, {
        affidavit_id: id,
        affidavit_key: 'late.pdf',
        version: 1,
        sha256: '0'.repeat(64),
        base_sha256: '0'.repeat(64),
        json_sha256: '0'.repeat(64),
        size_bytes: 1,
        pades_level: 'PAdES-B-T',
        seal_kid: keys.seal.kid,
        sealed_at: new Date(),
        available_at: new Date(),
        development: true,
      }),
    );
    await expect(late).rejects.toMatchObject({ code: 'gone' });
    expect(await stateOf(id)).toEqual({ status: 'signing', content_sealed: null, sha256: null });
  });
});

describe('the file of an affidavit', () => {
  it('is not stored when it does not verify', async () => {
    const { session, id } = await planned('signing');
    const place = join(folder, 'other-keys');
    await createDevPki(place, { now: new Date(), baseUrl });
    const { store, issueAffidavit } = activities({
      keys: { ...keys, root: loadKeys(place).root },
    });
    await expect(issueAffidavit({ affidavit_id: id })).rejects.toMatchObject({
      code: 'affidavit_invalid',
    });
    const key = `affidavits/${own.account_id}/${session.id}/${id}/v1.pdf`;
    expect(await store.get(key)).toBeNull();
  });

  it('is verified once when fresh, because verification renders it again', async () => {
    const { id } = await planned('signing');
    let readings = 0;
    const counted = {
      ...keys,
      get root() {
        readings += 1;
        return keys.root;
      },
    };
    await activities({ keys: counted }).issueAffidavit({ affidavit_id: id });
    // The other two reads are for the fingerprint in the content and for the CRL of the root.
    expect(readings).toBe(3);
  });

  it.each(['seal', 'tsa'] as const)(
    'waits for a process with a new key after its %s key was revoked',
    async (name) => {
      const { session, id } = await planned('signing');
      const place = join(folder, `stolen-${name}`);
      await createDevPki(place, { now: new Date(), baseUrl });
      const stolen = loadKeys(place);
      await enterPlatformCertificates(db, stolen);
      const serial = stolen[name].certificate.serialNumber.toLowerCase();
      await revokeBySerial(db, serial, { at: new Date(), reason: 'compromised' });
      const { store, issueAffidavit } = activities({ keys: stolen });
      await expect(issueAffidavit({ affidavit_id: id })).rejects.toMatchObject({
        code: 'dependency_unavailable',
      });
      const key = `affidavits/${own.account_id}/${session.id}/${id}/v1.pdf`;
      expect(await store.get(key)).toBeNull();
      await activities().issueAffidavit({ affidavit_id: id });
    },
  );

  it('is stored as the next version when a damaged file is in its place', async () => {
    const { session, id } = await planned('signing');
    const { store, issueAffidavit } = activities();
    const key = `affidavits/${own.account_id}/${session.id}/${id}/v1.pdf`;
    await store.put({ key, body: Buffer.from('%PDF-1.7'), contentType: 'application/pdf' });
    const { sha256 } = await issueAffidavit({ affidavit_id: id });
    const { rows } = await db.query(
      'SELECT affidavit_key, version, sha256 FROM affidavits WHERE affidavit_id = $1',
      [id],
    );
    expect(rows).toEqual([
      { affidavit_key: key.replace(/v1\.pdf$/, 'v2.pdf'), version: 2, sha256 },
    ]);
    expect(await affidavitOf(session)).toMatchObject({ status: 'available', sha256 });
  });

  it('is not judged while the database is unavailable', async () => {
    const { id } = await planned('signing');
    const away = openTestDb('postgres://127.0.0.1:1/none');
    const fault = await activities({ db: away })
      .issueAffidavit({ affidavit_id: id })
      .catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: 'ECONNREFUSED' });
  });
});
