import type { LinkRow } from '../../db/queries/links.ts';
import { accountOwner, type Sealer } from '../../db/sealing/sealed.ts';

export type SealedColumn = 'matching' | 'recipient' | 'metadata' | 'transaction_data';
export type Metadata = Readonly<Record<string, string>>;
type LinkKey = Pick<LinkRow, 'account_id' | 'link_uuid'>;

const contextOf = (link: LinkKey, column: SealedColumn): string =>
  `links|${column}|${link.link_uuid}`;

/** Seals a value of a link as JSON. Returns null if there is no value. */
export async function sealLinkValue(
  sealer: Sealer,
  link: LinkKey,
  column: SealedColumn,
  value: object | null | undefined,
): Promise<Buffer | null> {
  if (!value) return null;
  const owner = accountOwner(link.account_id);
  return sealer.seal(owner, contextOf(link, column), JSON.stringify(value));
}

/** Opens a value sealed by `sealLinkValue`. Returns null if there is no value. */
export async function openLinkValue<T extends object>(
  sealer: Sealer,
  link: LinkKey,
  column: SealedColumn,
  sealed: Buffer,
): Promise<T>;
export async function openLinkValue<T extends object>(
  sealer: Sealer,
  link: LinkKey,
  column: SealedColumn,
  sealed: Buffer | null,
): Promise<T | null>;
export async function openLinkValue<T extends object>(
  sealer: Sealer,
  link: LinkKey,
  column: SealedColumn,
  sealed: Buffer | null,
): Promise<T | null> {
  if (!sealed) return null;
  const opened = await sealer.open(accountOwner(link.account_id), contextOf(link, column), sealed);
  return JSON.parse(opened.toString());
}

/** Returns null for metadata without entries, which is not sealed. */
export function metadataOrNull(metadata: Metadata): Metadata | null {
  return Object.keys(metadata).length === 0 ? null : metadata;
}

/**
 * Returns keyed digests of the metadata entries. Lists are filtered by them, since the metadata
 * itself is sealed. The digests are sorted, so that equal metadata has equal digests. The key is
 * per account, so that rows of two accounts cannot be compared.
 */
export function metadataDigests(
  sealer: Pick<Sealer, 'blind'>,
  accountId: number,
  metadata: Metadata,
): Buffer[] {
  return Object.entries(metadata)
    .map(([name, value]) => sealer.blind(`link-metadata ${accountId}`, `${name}=${value}`))
    .toSorted((a, b) => a.compare(b));
}
