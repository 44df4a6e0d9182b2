import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** The content of an audit log row, with the hash of the previous row. */
export interface AuditContent {
  readonly account_id: number;
  readonly seq: number;
  readonly action: string;
  readonly actor: string;
  readonly object_id: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly previous_hash: Uint8Array;
  readonly created_at: Date;
}

/** The previous hash of the first row of a chain. */
export const noAuditHash: Buffer = Buffer.alloc(32);

/**
 * Returns the SHA-256 of the row as canonical JSON (RFC 8785): its members `account_id`, `seq`,
 * `at` (ISO 8601, UTC, milliseconds), `action`, `actor`, `object_id`, `details` and `previous_hash`
 * (hex).
 */
export function auditHash(row: AuditContent): Buffer {
  const text = canonicalize({
    account_id: row.account_id,
    seq: row.seq,
    at: row.created_at.toISOString(),
    action: row.action,
    actor: row.actor,
    object_id: row.object_id,
    details: row.details,
    previous_hash: Buffer.from(row.previous_hash).toString('hex'),
  });
  if (text === undefined) throw new Error('a row of the audit log is no JSON');
  return createHash('sha256').update(text).digest();
}
