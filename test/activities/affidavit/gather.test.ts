import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { PDFDocument } from 'pdf-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatherContent } from '../../../activities/affidavit/gather.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { randomIds } from '../../../db/ids.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import { affidavitContent, type AffidavitContent } from '../../../domain/affidavit/content.ts';
import {
  cancelUpdate,
  submitProofUpdate,
  trustCheckWorkflowId,
} from '../../../workflows/trust-check/messages.ts';
import { insertUnsure } from '../../support/checks/unsure.ts';
import { namedIn } from '../../support/fixtures/affidavits/named-in.ts';
import {
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
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connectClient } from '../../support/platform/temporal-client.ts';

const { baseUrl, databaseUrl, dataDir, own } = ownPlatform();
const keys = loadKeys(join(dataDir, 'keys'));
const db = openTestDb(databaseUrl);
const sealer = ownSealer(db);
const given = { db, sealer, store: ownStore(), keys, baseUrl, ...namedIn(keys, baseUrl) };
const ownKeyId = own.api_key.slice(0, own.api_key.lastIndexOf('_'));
let client: Client;

beforeAll(async () => {
  client = await connectClient();
});
afterAll(async () => {
  await client.connection.close();
  await db.end();
});

async function handInUnsure(session: Session): Promise<void> {
  const submission_id = await insertUnsure(databaseUrl, session.id);
  const handle = client.workflow.getHandle(trustCheckWorkflowId(session.id));
  await handle.executeUpdate(submitProofUpdate, { args: [{ proof: 'phone', submission_id }] });
  expect((await session.get()).body['status']).toBe('in_review');
}

async function inReview(): Promise<Session> {
  const session = await collecting(await newLink());
  await handInUnsure(session);
  return session;
}

async function review({ id }: Session, decision: string, token = own.api_key): Promise<void> {
  const body = { decision, note: 'Not in the affidavit' };
  expect((await call('POST', `/v2/trust-checks/${id}/review`, { token, body })).status).toBe(200);
}

async function pass(session: Session): Promise<void> {
  const number = newNumber();
  await session.lead('phone/code', { phone_number: number });
  const { body } = await session.lead('proofs/phone', { code: await codeFor(number) });
  expect(body['status']).toBe('passed');
}

/** Returns the JSON attached to the affidavit of a session. */
async function attachedTo(session: Session): Promise<string> {
  await withAffidavit(session);
  const path = `/v2/affidavits/${own.app_id}/${session.id}/download`;
  const { headers } = await call('GET', path, { token: own.api_key });
  const pdf = await (await fetch(headers.get('location') ?? '')).arrayBuffer();
  const document = await PDFDocument.load(pdf, { updateMetadata: false });
  return Buffer.from(document.getAttachments()[0]?.data ?? []).toString('utf8');
}

const contentOf = async (session: Session): Promise<AffidavitContent> =>
  affidavitContent.parse(JSON.parse(await attachedTo(session)));

describe('the decision maker in an affidavit', () => {
  it.each([
    ['approve', 'passed'],
    ['reject', 'failed'],
  ])('is the reviewer who decided %s', async (decision, outcome) => {
    const session = await inReview();
    await review(session, decision);
    const json = await attachedTo(session);
    const told = { outcome, reviewed: true, reviewer: ownKeyId };
    expect(affidavitContent.parse(JSON.parse(json)).decision).toMatchObject(told);
    expect(json).not.toContain('Not in the affidavit');
    const { explanation } = affidavitContent.parse(JSON.parse(json)).decision;
    expect(explanation).toEqual([
      expect.stringMatching(/^A reviewer (?:accepted|rejected) the check/),
      expect.stringMatching(/^Phone number: (?:not )?accepted by the reviewer\./),
    ]);
  });

  it('is no reviewer who gave the check back before the rules decided', async () => {
    const session = await inReview();
    await review(session, 'retry');
    await session.lead('retry');
    await pass(session);
    const told = { outcome: 'passed', reviewed: false, reviewer: null };
    expect((await contentOf(session)).decision).toMatchObject(told);
  });

  it('is the second reviewer after the first gave the check back', async () => {
    const session = await inReview();
    await review(session, 'retry', own.admin.session_token);
    await session.lead('retry');
    await handInUnsure(session);
    await review(session, 'approve');
    const told = { outcome: 'passed', reviewed: true, reviewer: ownKeyId };
    expect((await contentOf(session)).decision).toMatchObject(told);
  });
});

describe('the affidavit of a check that ended during a review', () => {
  it('names no reviewer when the device was revoked meanwhile', async () => {
    const session = await inReview();
    const handle = client.workflow.getHandle(trustCheckWorkflowId(session.id));
    await handle.executeUpdate(cancelUpdate, { args: [{ reason: 'attestation_failed' }] });
    const { decision } = await contentOf(session);
    expect(decision).toMatchObject({ outcome: 'failed', reviewed: false, reviewer: null });
    expect(decision.explanation[0]).toContain('someone revoked the device during the check');
    expect(decision.explanation[1]).toMatch(/^Phone number: not decided\./);
  });
});

/** Inserts a passed submission, judged later than all others, that no step counted. */
async function insertUncounted({ id }: Session): Promise<Date> {
  const submission = randomIds.make('sub');
  const context = `proof_submissions|claims|${submission}`;
  const kept = JSON.stringify({ claims: {}, facts: { development_root: true } });
  const claims = await sealer.seal(accountOwner(own.account_id), context, kept);
  const at = new Date(Date.now() + 3600_000);
  await db.query(
    `INSERT INTO proof_submissions (submission_id, link_session_id, proof, created_at, outcome,
       verdict, judged_at, claims_sealed) VALUES ($1, $2, 'phone', now(), 'passed', $3, $4, $5)`,
    [submission, id, { checks: [{ name: 'stranger', result: 'ok' }] }, at, claims],
  );
  return at;
}

it('omits a submission that no step counted, however late it was judged', async () => {
  const session = await collecting(await newLink());
  const at = await insertUncounted(session);
  await pass(session);
  await withAffidavit(session);
  const { rows } = await db.query<{ judged_at: Date; checks: unknown }>(
    `SELECT judged_at, verdict->'checks' AS checks FROM proof_submissions
     WHERE link_session_id = $1 AND judged_at <> $2`,
    [session.id, at],
  );
  expect(rows).toHaveLength(1);
  const { proofs } = await contentOf(session);
  expect(proofs).toMatchObject([
    { judged_at: rows[0]?.judged_at.toISOString(), checks: rows[0]?.checks },
  ]);
  const affidavits = await db.query('SELECT * FROM affidavits WHERE link_session_id = $1', [
    session.id,
  ]);
  const content = await gatherContent(
    { ...given, ...namedIn(keys, baseUrl, false) },
    affidavits.rows[0],
  );
  expect(content.development).toBe(false);
});
