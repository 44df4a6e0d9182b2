import { createHash } from 'node:crypto';
import { transaction } from '../../db/client.ts';
import {
  findAffidavit,
  freezeContent,
  publishAffidavit,
  type AffidavitRow,
} from '../../db/queries/affidavits.ts';
import { findApp } from '../../db/queries/credentials.ts';
import { appendEvents, listStream, trustCheckStream } from '../../db/queries/events.ts';
import { findLink } from '../../db/queries/links.ts';
import { listJudged } from '../../db/queries/proofs.ts';
import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { accountOwner } from '../../db/sealed.ts';
import { sessionObject } from '../../db/session-object.ts';
import type { IssuedAffidavit } from '../../workflows/issue-affidavit/messages.ts';
import { trustCheckWorkflowId } from '../../workflows/trust-check/messages.ts';
import { fingerprintOf } from '../certificates/load-keys.ts';
import { createClaimsOpener, type ReleasedClaims } from '../trust-checks/claims.ts';
import type { AffidavitDeps } from './activities.ts';
import { affidavitContent, canonicalJson, type AffidavitContent } from './content.ts';
import { renderAffidavit } from './render.ts';
import { sealAffidavit } from './seal.ts';
import { createTimestampAuthority } from './timestamp.ts';
import { verifyAffidavit } from './verify.ts';

const timelineMax = 200;
const level = 'PAdES-B-T';

/**
 * Issues one affidavit: freeze the content, render, seal, verify, store, publish. Run again after a
 * crash it finds what was done: the frozen content, and under the affidavit's key the one file.
 */
export async function issueAffidavit(
  deps: AffidavitDeps,
  affidavitId: string,
): Promise<IssuedAffidavit> {
  const row = await findAffidavit(deps.db, affidavitId);
  if (!row) throw new Error('the affidavit does not exist');
  if (row.status === 'available' && row.sha256) {
    return { affidavit_id: affidavitId, sha256: row.sha256, pades_level: level };
  }
  const content = await frozenContent(deps, row);
  const key = `affidavits/${row.account_id}/${row.link_session_id}/${affidavitId}/v1.pdf`;
  const rendered = await renderAffidavit(content);
  const pdf = (await deps.store.get(key)) ?? (await sealAndStore(deps, key, rendered));
  const verdict = await verifyAffidavit(pdf, [deps.keys.root.certificate], deps.clock());
  if (verdict.result !== 'valid') {
    throw new Error(`the affidavit does not verify: ${verdict.reason_code}`);
  }
  const sha256 = digestOf(pdf);
  await publish(deps, row, {
    affidavit_key: key,
    sha256,
    base_sha256: digestOf(rendered),
    json_sha256: digestOf(Buffer.from(canonicalJson(content))),
    size_bytes: pdf.length,
    sealed_at: new Date(verdict.facts.sealed_at ?? deps.clock()),
  });
  return { affidavit_id: affidavitId, sha256, pades_level: level };
}

/** Of two writers the first wins, and both go on with its file. */
async function sealAndStore(
  deps: AffidavitDeps,
  key: string,
  rendered: Uint8Array,
): Promise<Uint8Array> {
  const authority = createTimestampAuthority(deps.keys.tsa, deps.clock, deps.ids.bytes);
  const sealed = await sealAffidavit(rendered, deps.keys.seal, authority);
  try {
    await deps.store.put({ key, body: sealed, contentType: 'application/pdf', ifAbsent: true });
    return sealed;
  } catch (error) {
    const stored = await deps.store.get(key);
    if (!stored) throw error;
    return stored;
  }
}

async function publish(
  deps: AffidavitDeps,
  row: AffidavitRow,
  manifest: {
    affidavit_key: string;
    sha256: string;
    base_sha256: string;
    json_sha256: string;
    size_bytes: number;
    sealed_at: Date;
  },
): Promise<void> {
  const now = deps.clock();
  await transaction(deps.db, async (tx) => {
    const session = await publishAffidavit(tx, {
      ...manifest,
      affidavit_id: row.affidavit_id,
      pades_level: level,
      seal_kid: deps.keys.seal.kid,
      available_at: now,
    });
    if (!session) return;
    await appendEvents(tx, { ids: deps.ids, now }, [
      {
        stream: trustCheckStream(session.link_session_id),
        type: 'affidavit.available',
        account_id: session.account_id,
        app_id: session.app_id,
        livemode: session.livemode,
        object_id: session.link_session_id,
        object: sessionObject(session),
      },
    ]);
  });
}

/** The content as it was first gathered: a later attempt signs the same words. */
async function frozenContent(deps: AffidavitDeps, row: AffidavitRow): Promise<AffidavitContent> {
  const owner = accountOwner(row.account_id);
  const context = `affidavits|content|${row.affidavit_id}`;
  if (!row.content_sealed) {
    const gathered = canonicalJson(await gatherContent(deps, row));
    const sealed = await deps.sealer.seal(owner, context, gathered);
    await freezeContent(deps.db, row.affidavit_id, sealed);
  }
  const frozen = await findAffidavit(deps.db, row.affidavit_id);
  if (!frozen?.content_sealed) throw new Error('the content was not kept');
  const opened = await deps.sealer.open(owner, context, frozen.content_sealed);
  return affidavitContent.parse(JSON.parse(opened.toString()));
}

async function gatherContent(deps: AffidavitDeps, row: AffidavitRow): Promise<AffidavitContent> {
  const session = await findTrustCheck(deps.db, row.link_session_id);
  const link = session && (await findLink(deps.db, session.link_uuid));
  const app = session && (await findApp(deps.db, session.app_id));
  if (!session || !link || !app) throw new Error('the session of an affidavit does not exist');
  const claims = await createClaimsOpener(deps.sealer)(session);
  const { keys } = deps;
  return {
    schema: 'trustcheck-affidavit/1',
    affidavit_id: row.affidavit_id,
    verify_url: `${deps.baseUrl}/verify/${row.affidavit_id}`,
    issued_at: row.created_at.toISOString(),
    livemode: session.livemode,
    subject: { poly_user_id: session.poly_user_id, claims: wordsOf(claims) },
    requester: {
      account_id: session.account_id,
      account_name: app.account_name,
      app_id: app.app_id,
      app_name: app.name,
      link_uuid: link.link_uuid,
      title: link.title,
      reference_id: link.reference_id,
    },
    consent: session.consent && {
      tos_version: session.consent.tos_version,
      claims: session.consent.claims,
      at: session.consent.at,
    },
    session: {
      link_session_id: session.link_session_id,
      workflow_id: trustCheckWorkflowId(session.link_session_id),
    },
    decision: {
      outcome: session.status,
      reason_code: session.reason_code,
      decided_at: (session.decided_at ?? row.created_at).toISOString(),
    },
    proofs: await gatherProofs(deps, session),
    matching: session.matching,
    timeline: await gatherTimeline(deps, session),
    policy: { framework: 'urn:trustcheck:policy:default', version: '1' },
    keys: {
      seal_sha256: fingerprintOf(keys.seal.certificate),
      tsa_sha256: fingerprintOf(keys.tsa.certificate),
      root_sha256: fingerprintOf(keys.root.certificate),
    },
  };
}

async function gatherProofs(
  deps: AffidavitDeps,
  session: TrustCheckRow,
): Promise<AffidavitContent['proofs']> {
  const judged = await listJudged(deps.db, session.link_session_id);
  return session.proofs.map((proof) => {
    const last = judged.findLast((row) => row.proof === proof.type);
    const checks = Array.isArray(last?.verdict?.['checks']) ? last.verdict['checks'] : [];
    return {
      type: proof.type,
      status: proof.status,
      attempts: proof.attempt,
      provider: proof.provider,
      reason_code: proof.reason_code,
      evidence_sha256: proof.evidence_hash,
      checks: checks.map(({ name, result }) => ({ name: String(name), result: String(result) })),
    };
  });
}

async function gatherTimeline(
  deps: AffidavitDeps,
  session: TrustCheckRow,
): Promise<AffidavitContent['timeline']> {
  const stream = trustCheckStream(session.link_session_id);
  const rows = await listStream(deps.db, [stream, 0, timelineMax]);
  return rows.map((row) => ({
    at: row.created_at.toISOString(),
    event: row.type,
    state: stateOf(row.data.object),
  }));
}

function stateOf({ status }: Record<string, unknown>): string {
  return typeof status === 'string' ? status : '';
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const wordsOf = (claims: ReleasedClaims): Record<string, string> =>
  Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, String(value)]));
