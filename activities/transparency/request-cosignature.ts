import { countOf } from '../../domain/transparency/checkpoint.ts';
import { keyIdOf, parseNote, signatureLine, signedBy } from '../../domain/transparency/note.ts';
import { postToVendor } from '../vendors/post-to-vendor.ts';
import type { Witness } from './witnesses.ts';

/** A checkpoint for a witness, with the proof that it is consistent with an earlier size. */
export interface CosignatureRequest {
  readonly oldSize: number;
  /** Empty where the old size is 0, or that of the checkpoint. */
  readonly proof: readonly Buffer[];
  /** The signed note. */
  readonly note: string;
}

/** The witness's answer: its signature, the size it expected as the old one, or a refusal. */
export type WitnessAnswer =
  | { readonly kind: 'cosigned'; readonly line: string }
  | { readonly kind: 'knows'; readonly size: number }
  | { readonly kind: 'refused'; readonly status: number };

const askMsMax = 5_000;
const answerLengthMax = 16 * 1024;
const sizeType = 'text/x.tlog.size';

/**
 * Submits a checkpoint to a witness (C2SP tlog-witness, add-checkpoint). The witness's signature
 * must verify. Other signatures in the response are ignored.
 * @throws Failure `dependency_unavailable` when there is no response in time
 */
export async function requestCosignature(
  { key, url }: Witness,
  { oldSize, proof, note }: CosignatureRequest,
): Promise<WitnessAnswer> {
  const lines = [`old ${oldSize}`, ...proof.map((hash) => hash.toString('base64'))];
  const { status, headers, text } = await postToVendor(
    `witness ${key.name}`,
    `${url}/add-checkpoint`,
    askMsMax,
    { body: `${lines.join('\n')}\n\n${note}`, headers: { 'content-type': 'text/plain' } },
    answerLengthMax,
  );
  if (status === 409 && headers['content-type'] === sizeType) {
    const size = text.endsWith('\n') ? countOf(text.slice(0, -1)) : null;
    return size === null ? { kind: 'refused', status } : { kind: 'knows', size };
  }
  const answered = status === 200 ? parseNote(note + text) : null;
  if (!answered || signedBy(answered, key) !== 'ok') return { kind: 'refused', status };
  const id = keyIdOf(key);
  const own = answered.signatures.find((each) => each.name === key.name && each.id.equals(id));
  return own
    ? { kind: 'cosigned', line: signatureLine(key, own.signature) }
    : { kind: 'refused', status };
}
