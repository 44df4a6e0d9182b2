import type { z } from 'zod';
import type { NamedImage, RemovedImage } from '../proofs/file-members.ts';
import { bindingFaultOf, type BindingFault } from './binding.ts';
import { evidenceMessageOf } from './validation-messages.ts';
import type { File } from './images.ts';
import { scanStructure } from './scan-structure.ts';

/** The file is not one of ours: the command answers 2 with this one line. */
export class EvidenceFileError extends Error {
  override readonly name = 'EvidenceFileError';
}

/** What every kind of file has, once it is read. */
export interface Listed {
  readonly kind: string;
  readonly images: readonly NamedImage[];
  readonly removed?: readonly RemovedImage[] | undefined;
}

/** A file that was read. */
export type Understood<Parsed> = Parsed & {
  /** As it was given. */
  readonly source: File;
  /** Where it does not hold what it lists; null where it does. */
  readonly fault: BindingFault | null;
};

const mebibyte = 1024 * 1024;
/** Of one evidence file. */
export const fileBytesMax = 32 * mebibyte;
/** Of all names and texts together; the rest of a file is room for its punctuation. */
const textLengthMax = 31 * mebibyte;

/**
 * Reads an evidence file of one of the kinds of a schema. Throws `EvidenceFileError` with one clear
 * line.
 */
export function readFileOf<Parsed extends Listed>(
  schema: z.ZodType<Parsed>,
  content: Uint8Array,
): Understood<Parsed> {
  if (content.length > fileBytesMax) throw new EvidenceFileError('the file is over 32 MiB');
  const { fault, members } = scanStructure(content);
  if (fault) throw new EvidenceFileError(`the file is no evidence: ${fault}`);
  const { buffer, byteOffset, byteLength } = content;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
  } catch {
    throw new EvidenceFileError('the file is not JSON');
  }
  // I-JSON (RFC 7493 §2.3): two readers of a name that stands twice may see two files.
  if (membersOf(value) < members) throw new EvidenceFileError('the file has a name twice');
  return parseFileOf(schema, value);
}

/** Walks without recursion, as below. */
function membersOf(value: unknown): number {
  let count = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    const found = Object.values(next);
    if (!Array.isArray(next)) count += found.length;
    for (const member of found) left.push(member);
  }
  return count;
}

/** Understands what an evidence file holds. Throws `EvidenceFileError` with one clear line. */
export function parseFileOf<Parsed extends Listed>(
  schema: z.ZodType<Parsed>,
  value: unknown,
): Understood<Parsed> {
  if (textLengthOf(value) > textLengthMax) throw new EvidenceFileError('the file is over 31 MiB');
  const parsed = schema.safeParse(value, { error: evidenceMessageOf });
  if (parsed.success) {
    const source = { ...Object(value) };
    const { images, removed = [] } = parsed.data;
    return { ...parsed.data, source, fault: bindingFaultOf(source, images, removed) };
  }
  const [issue] = parsed.error.issues;
  const place = issue && issue.path.length > 0 ? issue.path.join('.') : 'the file';
  throw new EvidenceFileError(`${place}: ${issue?.message ?? 'not understood'}`);
}

/** Walks without recursion: strangers choose the depth. */
function textLengthOf(value: unknown): number {
  let length = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') length += next.length;
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, member] of Object.entries(next)) {
      length += name.length;
      left.push(member);
    }
  }
  return length;
}
