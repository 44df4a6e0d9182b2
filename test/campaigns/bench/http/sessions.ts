import { transaction, type Db } from '../../../../db/client.ts';
import { randomIds } from '../../../../db/ids.ts';
import { findLink, type LinkRow } from '../../../../db/queries/links.ts';
import { insertTrustCheck } from '../../../../db/queries/trust-checks.ts';
import type { ProofType } from '../../../../workflows/proofs.ts';
import type { TrustCheckInput } from '../../../../workflows/trust-check/messages.ts';
import type { BenchContext } from '../measure/bench.ts';

export const proofs: readonly ProofType[] = ['phone', 'device', 'nfc_passport'];
const minuteMs = 60_000;

/** Creates a reusable link that requires three proofs. */
export async function newLink({ call, platform }: BenchContext, db: Db): Promise<LinkRow> {
  const { own } = platform.facts;
  const body = { required_proofs: proofs, single_use: false };
  const made = await call<{ link_uuid: string }>('PUT', `/v2/${own.app_id}`, {
    token: own.api_key,
    body,
  });
  const link = await findLink(db, made.link_uuid);
  if (!link) throw new Error('no link was made');
  return link;
}

/** Inserts the row of a session as `begin` does, and returns the input of its workflow. */
export async function addSession(db: Db, link: LinkRow): Promise<TrustCheckInput> {
  const id = randomIds.make('tc');
  const waiting = { status: 'waiting_for_prerequisite', attempt: 0, reason_code: null } as const;
  await transaction(db, (tx) =>
    insertTrustCheck(tx, {
      link_session_id: id,
      link_uuid: link.link_uuid,
      app_id: link.app_id,
      account_id: link.account_id,
      client: 'mobile',
      locale: null,
      return_to: null,
      proofs: proofs.map((type) => ({
        ...waiting,
        type,
        max_attempts: link.max_attempts,
        provider: null,
        evidence_hash: null,
      })),
      livemode: link.livemode,
      created_at: new Date(),
      begun_from: '127.0.0.1',
      sandbox_subject: null,
      poly_user_id: null,
      resume_hash: null,
    }),
  );
  return {
    link_session_id: id,
    account_id: link.account_id,
    proofs,
    attempts_max: link.max_attempts,
    timers: { unopenedMs: 30 * minuteMs, idleMs: 30 * minuteMs, hardMs: 30 * minuteMs },
  };
}
