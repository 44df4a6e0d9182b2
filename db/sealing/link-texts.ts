import { foldedWords } from '../../domain/languages/folded-words.ts';
import { accountOwner, type Sealer } from './sealed.ts';

/**
 * Texts of a link that are sealed and searchable. Checks and events contain copies of the sealed
 * bytes.
 */
export type LinkText = 'title' | 'reference';
export interface LinkKey {
  readonly account_id: number;
  readonly link_uuid: string;
}

/** Number of words of each text that are indexed for search. The rest is not searchable. */
const wordsMax = 32;
const digestBytes = 6;

const contextOf = (link: LinkKey, name: LinkText): string => `links|${name}|${link.link_uuid}`;

/** Seals a text as a value of its link. Returns null if there is no text. */
export async function sealLinkText(
  sealer: Pick<Sealer, 'seal'>,
  link: LinkKey,
  name: LinkText,
  text: string | null | undefined,
): Promise<Buffer | null> {
  if (text === null || text === undefined) return null;
  return sealer.seal(accountOwner(link.account_id), contextOf(link, name), text);
}

/** Opens a value of `sealLinkText`. Returns null if there is no text. */
export async function openLinkText(
  sealer: Pick<Sealer, 'open'>,
  link: LinkKey,
  name: LinkText,
  sealed: Buffer | null,
): Promise<string | null> {
  if (!sealed) return null;
  const owner = accountOwner(link.account_id);
  return (await sealer.open(owner, contextOf(link, name), sealed)).toString();
}

/**
 * Returns the keyed digest of a whole reference, for filters of lists. The digest depends on the
 * account.
 */
export function referenceDigest(
  sealer: Pick<Sealer, 'blind'>,
  accountId: number,
  reference: string,
): Buffer {
  return sealer.blind(`link-reference ${accountId}`, reference);
}

/**
 * Returns keyed digests of the first words of each text, sorted and without duplicates. The digests
 * depend on the account.
 */
export function wordDigests(
  sealer: Pick<Sealer, 'blind'>,
  accountId: number,
  texts: readonly (string | null | undefined)[],
): string[] {
  const words = texts.flatMap((text) => foldedWords(text ?? '').slice(0, wordsMax));
  return digestsOf(sealer, accountId, words);
}

/**
 * Returns the digests that title and reference together must contain. Returns null if the text has
 * no words.
 */
export function soughtWords(
  sealer: Pick<Sealer, 'blind'>,
  accountId: number,
  text: string,
): string[] | null {
  const digests = digestsOf(sealer, accountId, foldedWords(text));
  return digests.length === 0 ? null : digests;
}

function digestsOf(
  sealer: Pick<Sealer, 'blind'>,
  accountId: number,
  words: readonly string[],
): string[] {
  const digests = words.map((word) =>
    sealer.blind(`link-word ${accountId}`, word).toString('hex', 0, digestBytes),
  );
  return [...new Set(digests)].toSorted();
}
