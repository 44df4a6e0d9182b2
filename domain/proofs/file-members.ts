import { z } from 'zod';
import { captures, captureSignals } from '../names.ts';

/** Base64 in the standard alphabet (RFC 4648 §4). The decoded bytes are judged later. */
export const bytes = z
  .string()
  .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'not standard base64')
  .refine((text) => text.length % 4 === 0, 'not standard base64')
  .transform((text) => new Uint8Array(Buffer.from(text, 'base64')));

/** An array of at most `lengthMax` members. The length is checked before any member is parsed. */
export const list = <Member extends z.ZodType>(member: Member, lengthMax: number) =>
  z.array(z.unknown()).max(lengthMax).pipe(z.array(member).max(lengthMax));

/** A record of at most `sizeMax` members. The size is checked before any member is parsed. */
export const table = <Name extends z.ZodString, Member extends z.ZodType>(
  name: Name,
  member: Member,
  sizeMax: number,
) =>
  z
    .record(z.string(), z.unknown())
    .refine(hasAtMost(sizeMax), `over the limit of ${sizeMax}`)
    .pipe(z.record(name, member));

const hasAtMost =
  (sizeMax: number) =>
  (record: object): boolean =>
    Object.keys(record).length <= sizeMax;

/** A time with an offset (RFC 3339). */
export const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** The path of an image in a file, and its hash. */
const namedImage = z.object({
  path: z.string().regex(/^input(\.[A-Za-z0-9]\w{0,99}){1,19}$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size_bytes: z.int().min(0),
});
export type NamedImage = z.output<typeof namedImage>;

/** An image that was in the file when it was judged and has been removed since. */
const removedImage = namedImage.extend({
  path: z.string().max(300),
  removed_at: z.iso.datetime({ offset: true }),
});
export type RemovedImage = z.output<typeof removedImage>;

/** The format of an evidence file. A different format gets a different name. */
export const evidenceForm = 'trustcheck-evidence/1';

/** Members of every evidence file. */
export const common = {
  format: z.literal(evidenceForm),
  at: instant,
  /** The client that captured the submission; absent in a file without a submission. */
  capture: z.enum(captures).optional(),
  /** Signals that the page found in its browser and camera; absent if it reported none. */
  capture_signals: list(z.enum(captureSignals), captureSignals.length).optional(),
  /** Its images, including removed ones. */
  images: list(namedImage, 1000),
  removed: list(removedImage, 1000).optional(),
};

/** Whether a file had images that have been removed. */
export const wasRemoved = (file: { readonly removed?: readonly unknown[] | undefined }): boolean =>
  (file.removed ?? []).length > 0;

export const pem = z.string().max(64 * 1024);
