import { countOf } from './checkpoint.ts';
import { bytesOf } from './note.ts';

/** A parsed, unverified proof file (C2SP tlog-proof). */
export interface ProofFile {
  readonly index: number;
  /** Starts with the sibling of the leaf. */
  readonly path: readonly Buffer[];
  /** The signed note. */
  readonly checkpoint: string;
  /** Extra data. Ours is the entry, since some files do not determine all of it. */
  readonly extra?: Buffer;
}

const head = 'c2sp.org/tlog-proof@v1';
export const proofBytesMax = 128 * 1024;
const pathLengthMax = 64;

/** Returns the text of a `.tlog-proof` file. */
export function encodeProof({ index, path, checkpoint, extra }: ProofFile): string {
  const more = extra ? [`extra ${extra.toString('base64')}`] : [];
  const hashes = path.map((hash) => hash.toString('base64'));
  const lines = [head, ...more, `index ${index}`, ...hashes];
  return `${lines.join('\n')}\n\n${checkpoint}`;
}

/** Parses a proof; null if the text is none. Extra data can be anything. */
export function parseProof(text: string): ProofFile | null {
  if (text.length > proofBytesMax) return null;
  const end = text.indexOf('\n\n');
  if (end < 0) return null;
  const [first, ...others] = text.slice(0, end).split('\n');
  const [, given] = /^extra (.*)$/.exec(others[0] ?? '') ?? [];
  const extra = given === undefined ? undefined : bytesOf(given);
  const [second = '', ...hashes] = given === undefined ? others : others.slice(1);
  const index = countOf(/^index (\d+)$/.exec(second)?.[1] ?? '');
  if (first !== head || index === null || hashes.length > pathLengthMax) return null;
  if (extra === null) return null;
  const path = hashes.map(bytesOf).filter((hash) => hash?.length === 32);
  if (path.length !== hashes.length) return null;
  return {
    index,
    path: path.filter((hash) => hash !== null),
    checkpoint: text.slice(end + 2),
    ...(extra === undefined ? {} : { extra }),
  };
}
