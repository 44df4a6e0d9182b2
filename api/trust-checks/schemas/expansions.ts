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
      'Adds `link`, `affidavit` (a short-lived address of the file) or `events` (the first 100), ' +
        'with commas or as `expand[]=`; takes the rights of each',
    ),
});

const expandedFields = {
  link: linkBody.nullable().optional().describe('Where expanded; null for a deleted link'),
  affidavit: sessionBody.shape.affidavit.extend({
    url: z
      .string()
      .nullable()
      .optional()
      .describe('Where expanded: the file, for a short time; null while there is none'),
    url_expires_at: z.iso.datetime().nullable().optional(),
  }),
  events: eventPage
    .optional()
    .describe('Where expanded; `next_after` goes on at `/v2/trust-checks/{id}/events`'),
};
export type Expanded = Pick<z.input<typeof expandedBody>, 'link' | 'events'> & {
  readonly affidavit?: { readonly url: string | null; readonly url_expires_at: string | null };
};

export const expandedBody = readBody.extend(expandedFields).meta({ id: 'ReadTrustCheck' });
