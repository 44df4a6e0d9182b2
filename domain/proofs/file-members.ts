import { z } from 'zod';
import { captures, captureSignals } from '../names.ts';

/** Base64 that decodes, standard alphabet (RFC 4648 §4); whatever it holds is judged later. */
export const bytes = z
  .string()
  .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'not standard base64')
  .refine((text) => text.length % 4 === 0, 'not standard base64')
  .transform((text) => new Uint8Array(Buffer.from(text, 'base64')));

/** At most so many, counted before any of them is looked at. */
export const list = <Member extends z.ZodType>(member: Member, lengthMax: number) =>
  z.array(z.unknown()).max(lengthMax).pipe(z.array(member).max(lengthMax));

/** Names and their members, counted before any is looked at. */
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

/** With an offset (RFC 3339). */
export const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** Where an image is in a file, and what it hashes to. */
const namedImage = z.object({
  path: z.string().regex(/^input(\.[A-Za-z0-9]\w{0,99}){1,19}$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size_bytes: z.int().min(0),
});
export type NamedImage = z.output<typeof namedImage>;

/** Images that were in the file when it was judged, and that are not kept any more. */
const removedImage = namedImage.extend({
  path: z.string().max(300),
  removed_at: z.iso.datetime({ offset: true }),
});
export type RemovedImage = z.output<typeof removedImage>;

/** The form of an evidence file; another form gets another name. */
export const evidenceForm = 'trustcheck-evidence/1';

/** What every evidence file has. */
export const common = {
  format: z.literal(evidenceForm),
  at: instant,
  /** What captured the submission that it is of; absent in a file of no submission. */
  capture: z.enum(captures).optional(),
  /** What the page noticed of its browser and camera; absent where it reported nothing. */
  capture_signals: list(z.enum(captureSignals), captureSignals.length).optional(),
  /** Its images, those that are gone included. */
  images: list(namedImage, 1000),
  removed: list(removedImage, 1000).optional(),
};

/** Whether anything was in the file that is not kept any more. */
export const wasRemoved = (file: { readonly removed?: readonly unknown[] | undefined }): boolean =>
  (file.removed ?? []).length > 0;

export const pem = z.string().max(64 * 1024);
