import { accountOwner, type Sealer } from '../../db/sealing/sealed.ts';
import { foldedWords } from '../../domain/languages/folded-words.ts';

/** Names are found by beginnings of their words, from this many letters to that many. */
const lettersMin = 2;
const lettersMax = 12;
const wordsMax = 16;
const digestBytes = 6;

/** What the address of a meeting's door is sealed under. */
export const joinUrlContext = (meetingKey: string): string => `meetings|join_url|${meetingKey}`;

/** Whose name: a participant's own row has it, and a meeting's has those a log row shows. */
export type NamePlace =
  | { readonly participant_id: string }
  | { readonly meeting_key: string; readonly as: 'host' | 'user' }
  | { readonly join_session_id: string };

/** What a name is sealed under: the row it stands in. */
export function nameContext(place: NamePlace): string {
  if ('participant_id' in place) return `meeting_participants|name|${place.participant_id}`;
  if ('join_session_id' in place) return `join_sessions|name|${place.join_session_id}`;
  return `meetings|${place.as}|${place.meeting_key}`;
}

/** The name of somebody in a meeting as it was given; null where none was. */
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
 * What a name is found by: keyed digests, of use in one account alone, of the beginnings of its
 * words. `names_blind` of meetings and of checks has them.
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
 * What the names of a meeting or a check must have for a text to find it: each of its words begins
 * one of theirs. Null for a text that finds none, being too short.
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

/** The first words of a text, each as its first code points. */
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
