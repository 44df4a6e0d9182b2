import { createHash } from 'node:crypto';
import type { EvidenceRow } from '../../../db/queries/evidence.ts';
import { accountOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

/** Uploaded evidence, sealed with the account's data key, one object per file. */
export interface EvidenceStore {
  /** Seals and stores bytes. Can be repeated with the same place and bytes. */
  keep(place: EvidencePlace, bytes: Uint8Array): Promise<void>;
  /** Returns the uploaded bytes, or null when they are missing or have another hash. */
  read(accountId: number, row: EvidenceRow): Promise<Uint8Array | null>;
  /** Deletes one object permanently. */
  remove(row: Pick<EvidenceRow, 'object_key'>): Promise<void>;
  /** Deletes all uploads of a session permanently, also objects without a row. */
  erase(linkSessionId: string): Promise<void>;
}

export interface EvidencePlace {
  readonly accountId: number;
  readonly evidenceId: string;
  readonly objectKey: string;
}

const contextOf = (evidenceId: string): string => `evidence|bytes|${evidenceId}`;

const folderOf = (linkSessionId: string): string => `evidence/${linkSessionId}`;

/** Returns the object key of a session's piece of evidence. */
export const evidenceKey = (linkSessionId: string, evidenceId: string): string =>
  `${folderOf(linkSessionId)}/${evidenceId}`;

/** Creates the evidence store. The object store receives only encrypted bytes. */
export function createEvidenceStore(store: ObjectStore, sealer: Sealer): EvidenceStore {
  return {
    async keep({ accountId, evidenceId, objectKey }, bytes) {
      const body = await sealer.seal(accountOwner(accountId), contextOf(evidenceId), bytes);
      await store.put({ key: objectKey, body, contentType: 'application/octet-stream' });
    },
    async read(accountId, row) {
      const body = await store.get(row.object_key);
      if (!body) return null;
      const context = contextOf(row.evidence_id);
      const bytes = await sealer.open(accountOwner(accountId), context, body);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return sha256 === row.sha256 ? bytes : null;
    },
    remove: (row) => store.erase(row.object_key),
    erase: (linkSessionId) => store.erase(folderOf(linkSessionId)),
  };
}
