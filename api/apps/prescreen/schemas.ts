import { z } from 'zod';
import {
  funnelNames,
  platforms,
  spans,
  stages,
} from '../../../activities/trust-checks/prescreen/funnel.ts';
import { hasYear, yearForm, yearWords } from '../../http/fields/declared-rules.ts';
import { reasonHint } from '../../http/fields/fields.ts';
import { accountId } from '../../http/fields/ids.ts';

const date = z.iso.date().refine(hasYear, yearWords).meta(yearForm);
const jobIdLengthMax = 128;

export const prescreenQuery = z.object({
  start_date: date.optional().describe('The first UTC day; 29 days before `end_date` if left out'),
  end_date: date.optional().describe('The last UTC day, it included; today if left out'),
  account_id: accountId
    .optional()
    .describe('The account: a session names it, the one of an API key is its own'),
  job_id: z
    .string()
    .max(jobIdLengthMax)
    .regex(/^\d+(,\d+){0,3}$/, 'must be one to four numeric ids with commas between')
    .optional()
    .describe('One posting, by each id that its links have: up to four, with commas between'),
});

export const prescreenAccountBody = z
  .object({ account_id: z.int().describe('The account of the API key') })
  .meta({ id: 'PrescreenAccount' });

const count = z.int().min(0);
const share = z.number().min(0).max(1).nullable();
const described: Partial<Record<(typeof funnelNames)[number], string>> = {
  invited: 'All checks: single-use links, and sessions of links that are used by many',
  delivered: 'Mailed links alone: the mail arrived, or its link was opened',
  completed: 'Every proof was judged, and the check decided',
  failed: 'Also those a revoked device ended before they were completed',
  mismatched: 'Those of the failed whose claims are not what the link expected',
  in_progress: 'Neither ended nor decided',
};
const funnel = z.object(
  Object.fromEntries(
    funnelNames.map((name) => {
      const text = described[name];
      return [name, text === undefined ? count : count.describe(text)];
    }),
  ) as Record<(typeof funnelNames)[number], typeof count>,
);
const rates = z.object({
  open: share.describe('Opened of the invited'),
  start: share.describe('Started of the opened'),
  completion: share.describe('Completed of the started'),
  pass: share.describe('Passed of the decided'),
  end_to_end: share.describe('Passed of the invited'),
});
const seconds = z.int().nullable();
const duration = z.object({
  p50_s: seconds.describe('Half took at most so long, in seconds, within 10 %'),
  p90_s: seconds.describe('Nine of ten took at most so long, in seconds, within 10 %'),
  n: count.describe('How many were timed'),
});
const period = {
  start_date: z.iso.date(),
  end_date: z.iso.date().describe('It is included'),
};

export const prescreenSummaryBody = z
  .object({
    account_id: z.int(),
    ...period,
    job_id: z.string().nullable(),
    refreshed_at: z.iso
      .datetime()
      .nullable()
      .describe('As of when it is; null while nothing was counted yet'),
    is_partial: z.boolean().describe('Whether today is in the range'),
    funnel,
    rates: rates.describe('Shares of 1; null where there is nothing to have a share of'),
    durations: z.object(
      Object.fromEntries(spans.map((span) => [span, duration])) as Record<
        (typeof spans)[number],
        typeof duration
      >,
    ),
    failure_reasons: z.array(z.object({ reason_code: z.string().meta(reasonHint), count })),
    dropoff: z
      .array(z.object({ stage: z.enum(stages), count }))
      .describe('Up to where those came that ended without a decision'),
    proofs: z.array(
      z.object({
        type: z.string(),
        asked: count,
        tried: count,
        retried: count,
        passed: count,
        failed: count,
      }),
    ),
    platforms: z.array(z.object({ platform: z.enum(platforms), started: count, passed: count })),
    daily: z.array(
      z.object({
        date: z.iso.date(),
        invited: count,
        started: count,
        completed: count,
        passed: count,
        failed: count,
      }),
    ),
    previous_period: z
      .object({ ...period, funnel, rates })
      .describe('As many days, up to the day before `start_date`'),
  })
  .meta({ id: 'PrescreenSummary' });
