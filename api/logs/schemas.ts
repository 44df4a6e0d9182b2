import { z } from 'zod';
import { logSources } from '../../domain/names.ts';
import { listOf } from '../http/fields/declared-rules.ts';
import { reasonHint } from '../http/fields/fields.ts';
import { accountId, accountNumber, polyUserId } from '../http/fields/ids.ts';
import { cursorPageBody, longPageQuery } from '../http/fields/paging.ts';

const idsMax = 200;
const instant = z.iso.datetime();

export const accountOfLogs = accountId.describe('Account of the logs');

const logTypes = z
  .string()
  .max(100)
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(logSources)))
  .meta(listOf(logSources))
  .optional()
  .describe('Only rows of these sources, `meeting` or `trust_check`, separated by commas');

export const logQuery = z.object({ ...longPageQuery, log_types: logTypes });
export const accountLogQuery = logQuery.extend({
  app_id: z.string().min(1).max(64).optional().describe('Only checks of this app, and no meetings'),
});

export const logRow = z
  .object({
    source: z.enum(logSources),
    id: z.string().describe('ID of the row; for a check its `link_session_id`'),
    occurred_at: instant.describe('Begin of a check; start of a meeting, or its planned start'),
    ended_at: instant.nullable(),
    account_id: z.int(),
    livemode: z.boolean().describe('`false` for the sandbox and for apps in test mode'),
    app_id: z.string().nullable().describe('App of a check; null for a meeting'),
    title: z.string().nullable().describe('Title of a check; topic of a meeting'),
    status: z.string(),
    platform: z.string().nullable().describe('Platform of a meeting; null for a check'),
    meeting_id: z.string().nullable().describe('ID of a meeting on its platform, in base64url'),
    organization: z.string().nullable().describe('Organization of a meeting'),
    host_name: z.string().nullable().describe('Organization of a meeting'),
    user_name: z
      .string()
      .nullable()
      .describe('Released name of a check; name of the first participant of a meeting'),
    participant_count: z.int().nullable().describe('Number of people who joined a meeting'),
    verified_count: z.int().nullable().describe('Number of verified participants'),
    link_uuid: z.string().nullable(),
    poly_user_id: z.string().nullable().describe('App of a check; null for a meeting'),
    reason_code: z.string().nullable().meta(reasonHint),
    affidavit_available: z.boolean().nullable().describe('App of a check; null for a meeting'),
  })
  .meta({ id: 'LogRow' });
export type LogRow = z.input<typeof logRow>;
export const logPage = cursorPageBody(logRow).meta({ id: 'LogPage' });

export const continuityRequest = z
  .object({
    account_id: accountNumber.describe('Account of the meetings'),
    poly_user_ids: z.array(polyUserId).min(1).max(idsMax).describe('Up to 200 people'),
  })
  .meta({
    example: { account_id: 1, poly_user_ids: ['pu_0123456789abcdefghjkmnpqrs'] },
  });
export const continuityBody = z.object({
  account_id: z.int(),
  items: z
    .array(
      z.object({
        poly_user_id: z.string(),
        last_met_at: instant.nullable().describe('When they last joined; null if never'),
        meeting_count: z.int(),
      }),
    )
    .describe('One item for each requested person, in the order of the request'),
});
