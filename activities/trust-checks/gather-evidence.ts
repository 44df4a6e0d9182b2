import type { Db } from '../../db/client.ts';
import { findEvidence } from '../../db/queries/evidence.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { EvidenceStore } from '../proofs/evidence/store.ts';

/** Limit of one judgement's files. In base64 they still fit into an evidence file. */
const gatheredBytesMax = 20 * 1024 * 1024;
const namedMax = 40;
const depthMax = 4;

export interface GatherDeps {
  readonly db: Db;
  readonly evidence: EvidenceStore;
}

/**
 * Fetches the uploaded files that a proof's input names, by evidence id. Omits unknown ids, ids of
 * other sessions and missing files; the judge decides what that means.
 */
export async function gatherEvidence(
  deps: GatherDeps,
  session: TrustCheckRow,
  input: unknown,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const ids = [...new Set(idsIn(input, 0))].slice(0, namedMax);
  const files = new Map<string, Uint8Array>();
  if (ids.length === 0) return files;
  let sizeBytes = 0;
  for (const row of await findEvidence(deps.db, session.link_session_id, ids)) {
    sizeBytes += row.size_bytes;
    if (sizeBytes > gatheredBytesMax) break;
    const bytes = await deps.evidence.read(session.account_id, row);
    if (bytes) files.set(row.evidence_id, bytes);
  }
  return files;
}

function idsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return /^ev_[0-9a-z]{26}$/.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null || depth >= depthMax) return [];
  return Object.values(value).flatMap((member) => idsIn(member, depth + 1));
}
