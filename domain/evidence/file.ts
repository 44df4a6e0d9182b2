import type { z } from 'zod';
import type { NamedImage, RemovedImage } from '../proofs/file-members.ts';
import { bindingFaultOf, type BindingFault } from './binding.ts';
import { evidenceMessageOf } from './validation-messages.ts';
import type { File } from './images.ts';
import { scanStructure } from './scan-structure.ts';

/** The file is not an evidence file. The command prints this one line and exits with 2. */
export class EvidenceFileError extends Error {
  override readonly name = 'EvidenceFileError';
}

/** Members of every kind of file after parsing. */
export interface Listed {
  readonly kind: string;
  readonly images: readonly NamedImage[];
  readonly removed?: readonly RemovedImage[] | undefined;
}

/** A parsed file. */
export type Understood<Parsed> = Parsed & {
  /** The original input. */
  readonly source: File;
  /** The mismatch between the file and its list of images; null if they match. */
  readonly fault: BindingFault | null;
};

const mebibyte = 1024 * 1024;
/** Limit of one evidence file. */
export const fileBytesMax = 32 * mebibyte;
/** Limit of all names and texts together; the rest of a file is for punctuation. */
const textLengthMax = 31 * mebibyte;

/**
 * Reads an evidence file of one of the schema's kinds.
 * @throws `EvidenceFileError` with a one-line message
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
  // I-JSON (RFC 7493 §2.3): with a duplicate name, two readers may see two different files.
  if (membersOf(value) < members) throw new EvidenceFileError('the file has a name twice');
  return parseFileOf(schema, value);
}

/** Counts members without recursion, as `textLengthOf` does. */
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

/**
 * Validates the content of an evidence file.
 * @throws `EvidenceFileError` with a one-line message
 */
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

/** Has no recursion, because untrusted input chooses the depth. */
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
