import { accountOwner, type Sealer } from '../../db/sealing/sealed.ts';
import { foldedWords } from '../../domain/languages/folded-words.ts';

/** Names are found by prefixes of their words, with this minimum and maximum of letters. */
const lettersMin = 2;
const lettersMax = 12;
const wordsMax = 16;
const digestBytes = 6;

/** Returns the context under which a meeting's join URL is sealed. */
export const joinUrlContext = (meetingKey: string): string => `meetings|join_url|${meetingKey}`;

/** Row of a sealed name. A meeting has the names that its log row shows. */
export type NamePlace =
  | { readonly participant_id: string }
  | { readonly meeting_key: string; readonly as: 'host' | 'user' }
  | { readonly join_session_id: string };

/** Returns the context under which a name is sealed, which is its row. */
export function nameContext(place: NamePlace): string {
  if ('participant_id' in place) return `meeting_participants|name|${place.participant_id}`;
  if ('join_session_id' in place) return `join_sessions|name|${place.join_session_id}`;
  return `meetings|${place.as}|${place.meeting_key}`;
}

/** Opens the name of a person in a meeting. Returns null if there is none. */
export async function openName(
  sealer: Pick<Sealer, 'open'>,
  accountId: number,
  place: NamePlace,
  sealed: Buffer | null,
): Promise<string | null> {
  if (!sealed) return null;
  return (await sealer.open(accountOwner(accountId), nameContext(place), sealed)).toString();
}

/**
 * Returns the digests by which a name is found: keyed digests of the prefixes of its words, valid
 * in one account only. The `names_blind` columns of meetings and checks contain them.
 */
export function nameDigests(
  sealer: Pick<Sealer, 'blind'>,
  accountId: number,
  name: string,
): string[] {
  const beginnings = wordsOf(name).flatMap((word) => {
    const lengths = Math.max(0, word.length - lettersMin + 1);
    return Array.from({ length: lengths }, (_, index) => word.slice(0, lettersMin + index));
  });
  return digestsOf(sealer, accountId, beginnings);
}

/**
 * Returns the digests that `names_blind` must contain for a text to match: each word of the text is
 * a prefix of a word of the names. Returns null for a text that is too short.
 */
export function soughtDigests(
  sealer: Pick<Sealer, 'blind'>,
  accountId: number,
  text: string,
): string[] | null {
  const words = wordsOf(text);
  if (words.length === 0 || words.some(({ length }) => length < lettersMin)) return null;
  return digestsOf(sealer, accountId, words);
}

/** Returns the first words of a text, each as its first code points. */
function wordsOf(text: string): string[][] {
  return foldedWords(text)
    .slice(0, wordsMax)
    .map((word) => [...word].slice(0, lettersMax));
}

function digestsOf(
  sealer: Pick<Sealer, 'blind'>,
  accountId: number,
  beginnings: readonly (readonly string[])[],
): string[] {
  const purpose = `meeting-name|${accountId}`;
  const digests = beginnings.map((letters) =>
    sealer.blind(purpose, letters.join('')).subarray(0, digestBytes).toString('base64url'),
  );
  return [...new Set(digests)];
}
