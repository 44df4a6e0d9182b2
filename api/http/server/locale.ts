import { z } from 'zod';
import { canonicalTag } from '../../../domain/languages/spoken.ts';

/** The parts of a tag (RFC 5646 §2.1), with at most one variant and no extension. */
const language = '[A-Za-z]{2,3}';
const script = '(?:-[A-Za-z]{4})?';
const region = '(?:-(?:[A-Za-z]{2}|\\d{3}))?';
const variant = '(?:-(?:[A-Za-z0-9]{5,8}|\\d[A-Za-z0-9]{3}))?';

/** The language of messages to a person: a BCP 47 tag in its canonical spelling. */
export const locale = z
  .string()
  .max(35, { abort: true })
  .regex(new RegExp(`^${language}${script}${region}${variant}$`), { abort: true })
  .refine((tag) => canonicalTag(tag) !== null, 'must be a language tag')
  .overwrite((tag) => canonicalTag(tag) ?? tag);

/** The language of a page. An unknown one is ignored, because a person opens the address. */
export const localeQuery = z.object({
  locale: z
    .string()
    .max(64)
    .optional()
    .describe('Language of the page; overrides `Accept-Language`'),
});
