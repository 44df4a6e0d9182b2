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
  start_date: date.optional().describe('First UTC day; by default 29 days before `end_date`'),
  end_date: date.optional().describe('Last UTC day, included; today by default'),
  account_id: accountId
    .optional()
    .describe('The account; required for a session, optional for an API key'),
  job_id: z
    .string()
    .max(jobIdLengthMax)
    .regex(/^\d+(,\d+){0,3}$/, 'must be one to four numeric ids with commas between')
    .optional()
    .describe('One posting, by up to four `job_id` values of its links, separated by commas'),
});

export const prescreenAccountBody = z
  .object({ account_id: z.int().describe('The account of the API key') })
  .meta({ id: 'PrescreenAccount' });

const count = z.int().min(0);
const share = z.number().min(0).max(1).nullable();
const described: Partial<Record<(typeof funnelNames)[number], string>> = {
  invited: 'All checks: single-use links, and sessions of other links',
  delivered: 'Only mailed links: the mail arrived, or the link was opened',
  completed: 'Checks with every proof judged and a decision',
  failed: 'Includes checks that a revoked device ended before completion',
  mismatched: 'Failed checks with claims that differ from the expected values',
  in_progress: 'Checks that have neither ended nor been decided',
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
  open: share.describe('Opened / invited'),
  start: share.describe('Started / opened'),
  completion: share.describe('Completed / started'),
  pass: share.describe('Passed / decided'),
  end_to_end: share.describe('Passed / invited'),
});
const seconds = z.int().nullable();
const duration = z.object({
  p50_s: seconds.describe('Median, in seconds, accurate to 10 %'),
  p90_s: seconds.describe('90th percentile, in seconds, accurate to 10 %'),
  n: count.describe('Number of timed checks'),
});
const period = {
  start_date: z.iso.date(),
  end_date: z.iso.date().describe('Included in the range'),
};

export const prescreenSummaryBody = z
  .object({
    account_id: z.int(),
    ...period,
    job_id: z.string().nullable(),
    refreshed_at: z.iso
      .datetime()
      .nullable()
      .describe('Time of the last update; null before the first'),
    is_partial: z.boolean().describe('Whether the range includes today'),
    funnel,
    rates: rates.describe('Rates from 0 to 1; null if the divisor is 0'),
    durations: z.object(
      Object.fromEntries(spans.map((span) => [span, duration])) as Record<
        (typeof spans)[number],
        typeof duration
      >,
    ),
    failure_reasons: z.array(z.object({ reason_code: z.string().meta(reasonHint), count })),
    dropoff: z
      .array(z.object({ stage: z.enum(stages), count }))
      .describe('Checks that ended without a decision, by the last stage they reached'),
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
      .describe('The same number of days, up to the day before `start_date`'),
  })
  .meta({ id: 'PrescreenSummary' });
