import { z } from 'zod';
import { logSources } from '../../domain/names.ts';
import { listOf } from '../http/fields/declared-rules.ts';
import { reasonHint } from '../http/fields/fields.ts';
import { accountId, accountNumber, polyUserId } from '../http/fields/ids.ts';
import { cursorPageBody, longPageQuery } from '../http/fields/paging.ts';

const idsMax = 200;
const instant = z.iso.datetime();

export const accountOfLogs = accountId.describe('The account the logs are of');

const logTypes = z
  .string()
  .max(100)
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(logSources)))
  .meta(listOf(logSources))
  .optional()
  .describe('Only rows of these sources, `meeting` or `trust_check`, with commas between');

export const logQuery = z.object({ ...longPageQuery, log_types: logTypes });
export const accountLogQuery = logQuery.extend({
  app_id: z.string().min(1).max(64).optional().describe('Only checks of this app; no meetings'),
});

export const logRow = z
  .object({
    source: z.enum(logSources),
    id: z.string().describe('Of a check its `link_session_id`'),
    occurred_at: instant.describe('A check’s beginning; a meeting’s start, or the planned one'),
    ended_at: instant.nullable(),
    account_id: z.int(),
    livemode: z.boolean().describe('false for the sandbox and for apps in test mode'),
    app_id: z.string().nullable().describe('Of a check'),
    title: z.string().nullable().describe('Of a meeting its topic'),
    status: z.string(),
    platform: z.string().nullable().describe('Where a meeting takes place'),
    meeting_id: z.string().nullable().describe('What its platform calls a meeting, in base64url'),
    organization: z.string().nullable().describe('Of a meeting'),
    host_name: z.string().nullable().describe('Of a meeting'),
    user_name: z
      .string()
      .nullable()
      .describe('Of a check, where it was released; of a meeting its first participant'),
    participant_count: z.int().nullable().describe('Who joined a meeting'),
    verified_count: z.int().nullable().describe('Those of them who are verified'),
    link_uuid: z.string().nullable(),
    poly_user_id: z.string().nullable().describe('Of a check'),
    reason_code: z.string().nullable().meta(reasonHint),
    affidavit_available: z.boolean().nullable().describe('Of a check'),
  })
  .meta({ id: 'LogRow' });
export type LogRow = z.input<typeof logRow>;
export const logPage = cursorPageBody(logRow).meta({ id: 'LogPage' });

export const continuityRequest = z
  .object({
    account_id: accountNumber.describe('Whose meetings are looked at'),
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
        last_met_at: instant.nullable().describe('When they last joined; null for never'),
        meeting_count: z.int(),
      }),
    )
    .describe('Each that was asked for, in that order'),
});
