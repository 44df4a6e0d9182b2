import type { LinkRow } from '../../db/queries/links.ts';
import { accountOwner, type Sealer } from '../../db/sealed.ts';

type Column = 'matching' | 'recipient' | 'metadata' | 'transaction_data';
type LinkKey = Pick<LinkRow, 'account_id' | 'link_uuid'>;

const contextOf = (link: LinkKey, column: Column): string => `links|${column}|${link.link_uuid}`;

/** Seals a value of a link as JSON; null where there is none. */
export async function sealLinkValue(
  sealer: Sealer,
  link: LinkKey,
  column: Column,
  value: object | null | undefined,
): Promise<Buffer | null> {
  if (!value) return null;
  const owner = accountOwner(link.account_id);
  return sealer.seal(owner, contextOf(link, column), JSON.stringify(value));
}

/** Opens what `sealLinkValue` sealed; null where there is no value. */
export async function openLinkValue<T extends object>(
  sealer: Sealer,
  link: LinkKey,
  column: Column,
  sealed: Buffer | null,
): Promise<T | null> {
  if (!sealed) return null;
  const opened = await sealer.open(accountOwner(link.account_id), contextOf(link, column), sealed);
  return JSON.parse(opened.toString());
}

/**
 * Keyed digests of the entries of metadata, by which lists are filtered while the metadata itself
 * is sealed. Sorted, so that equal metadata has equal digests; keyed for each account, so that
 * rows of two accounts cannot be compared.
 */
export function metadataDigests(
  sealer: Pick<Sealer, 'blind'>,
  accountId: number,
  metadata: Readonly<Record<string, string>>,
): Buffer[] {
  return Object.entries(metadata)
    .map(([name, value]) => sealer.blind(`link-metadata ${accountId}`, `${name}=${value}`))
    .toSorted((a, b) => a.compare(b));
}
