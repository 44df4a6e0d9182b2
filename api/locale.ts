import { z } from 'zod';
import { canonicalTag } from '../activities/languages/spoken.ts';

/** The language somebody is written to in: a tag of BCP 47, spelled as it spells them. */
export const locale = z
  .string()
  .max(35, { abort: true })
  .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/, { abort: true })
  .refine((tag) => canonicalTag(tag) !== null, 'must be a language tag')
  .overwrite((tag) => canonicalTag(tag) ?? tag);
