import { z } from 'zod';
import { listOf } from '../../http/fields/declared-rules.ts';
import { linkBody } from '../../links/schemas.ts';
import { eventPage } from './events.ts';
import { readBody, sessionBody } from './schemas.ts';

const expansions = ['link', 'affidavit', 'events'] as const;
export type Expansion = (typeof expansions)[number];

/** The query of a read. */
export const readQuery = z.object({
  expand: z
    .string()
    .max(100)
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(expansions)).max(expansions.length))
    .meta(listOf(expansions, { max: expansions.length }))
    .optional()
    .meta({ param: { style: 'form', explode: false } })
    .describe(
      'Includes `link`, `affidavit` (a short-lived URL of the file) or `events` (the first ' +
        '100), separated by commas or as `expand[]=`. The caller must be allowed to read ' +
        'each of them',
    ),
});

const expandedFields = {
  link: linkBody.nullable().optional().describe('Only if expanded; null for a deleted link'),
  affidavit: sessionBody.shape.affidavit.extend({
    url: z
      .string()
      .nullable()
      .optional()
      .describe('Only if expanded: short-lived URL of the file; null without a file'),
    url_expires_at: z.iso.datetime().nullable().optional(),
  }),
  events: eventPage
    .optional()
    .describe('Only if expanded; continue with `next_after` at `/v2/trust-checks/{id}/events`'),
};
export type Expanded = Pick<z.input<typeof expandedBody>, 'link' | 'events'> & {
  readonly affidavit?: { readonly url: string | null; readonly url_expires_at: string | null };
};

export const expandedBody = readBody.extend(expandedFields).meta({ id: 'ReadTrustCheck' });
