import { countOf } from './checkpoint.ts';
import { bytesOf } from './note.ts';

/** A proof as a file, none of which is believed yet (C2SP tlog-proof). */
export interface ProofFile {
  readonly index: number;
  /** From the sibling of the leaf on. */
  readonly path: readonly Buffer[];
  /** The signed note. */
  readonly checkpoint: string;
}

const head = 'c2sp.org/tlog-proof@v1';
export const proofBytesMax = 128 * 1024;
const pathLengthMax = 64;

/** A proof as the text of a `.tlog-proof` file. */
export function encodeProof({ index, path, checkpoint }: ProofFile): string {
  const lines = [head, `index ${index}`, ...path.map((hash) => hash.toString('base64'))];
  return `${lines.join('\n')}\n\n${checkpoint}`;
}

/** The proof a text is; null for what is none. Extra data is let stand and not looked at. */
export function parseProof(text: string): ProofFile | null {
  if (text.length > proofBytesMax) return null;
  const end = text.indexOf('\n\n');
  if (end < 0) return null;
  const [first, ...others] = text.slice(0, end).split('\n');
  const [second = '', ...hashes] = /^extra [A-Za-z0-9+/]*=*$/.test(others[0] ?? '')
    ? others.slice(1)
    : others;
  const index = countOf(/^index (\d+)$/.exec(second)?.[1] ?? '');
  if (first !== head || index === null || hashes.length > pathLengthMax) return null;
  const path = hashes.map(bytesOf).filter((hash) => hash?.length === 32);
  if (path.length !== hashes.length) return null;
  return { index, path: path.filter((hash) => hash !== null), checkpoint: text.slice(end + 2) };
}
