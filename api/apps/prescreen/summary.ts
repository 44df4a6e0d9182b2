import * as rules from '../../../activities/trust-checks/prescreen/funnel.ts';
import { findRefreshed, listDays, type PrescreenDay } from '../../../db/queries/prescreen.ts';
import { Failure } from '../../../workflows/failures.ts';
import { enterAccount } from '../../accounts/access/enter.ts';
import type { Deps } from '../../deps.ts';
import type { Caller } from '../../http/auth/caller.ts';
import { handler, type Input } from '../../http/contract.ts';
import { InvalidRequest } from '../../http/problem/problem.ts';
import { prescreenContracts } from './contracts.ts';

type Query = Input<typeof prescreenContracts.prescreenSummary>['query'];

const dayMs = 24 * 3600_000;
const usualDays = 30;
const daysMax = 366;

/** Returns the funnel of a range of days and of the range before it, from stored daily counts. */
export const prescreenSummary = handler(prescreenContracts.prescreenSummary)(async (
  { caller, query, call, authorizeIn },
  { db }: Pick<Deps, 'db'>,
) => {
  const range = rangeOf(query, call.now);
  const accountId = accountOf(caller, query.account_id);
  const reach = await enterAccount({ db }, { caller, authorizeIn }, accountId);
  const livemode = reach.livemode ?? true;
  const jobIds = [...new Set(query.job_id?.split(','))];
  const before = shifted(range.from, -range.length);
  const [days, refreshedAt] = await Promise.all([
    listDays(db, { accountId, livemode, jobIds }, { from: before, to: range.to }),
    findRefreshed(db, accountId),
  ]);
  const today = dayOf(call.now);
  const now = days.filter(({ day }) => day >= range.from);
  const counts = rules.addUp(now);
  const funnel = rules.funnelOf(counts);
  const earlier = rules.funnelOf(rules.addUp(days.filter(({ day }) => day < range.from)));
  const durations = Object.fromEntries(
    rules.spans.map((span) => [span, rules.durationOf(counts, span)]),
  ) as Record<(typeof rules.spans)[number], ReturnType<typeof rules.durationOf>>;
  return {
    status: 200,
    body: {
      account_id: accountId,
      start_date: range.from,
      end_date: range.to,
      job_id: query.job_id ?? null,
      refreshed_at: refreshedAt?.toISOString() ?? null,
      is_partial: range.from <= today && today <= range.to,
      funnel,
      rates: rules.ratesOf(funnel),
      durations,
      failure_reasons: rules.failureReasonsOf(counts),
      dropoff: rules.dropoffOf(counts),
      proofs: rules.proofsOf(counts),
      platforms: rules.platformsOf(counts),
      daily: dailyOf(range, now),
      previous_period: {
        start_date: before,
        end_date: shifted(range.from, -1),
        funnel: earlier,
        rates: rules.ratesOf(earlier),
      },
    },
  };
});

/**
 * Returns the account of the key, or the one that a session must name.
 * @throws Failure `account_required`, `account_mismatch`
 */
function accountOf(
  caller: Extract<Caller, { kind: 'session' | 'api-key' }>,
  named: number | undefined,
): number {
  if (caller.kind === 'session') {
    if (named === undefined) throw new Failure('account_required');
    return named;
  }
  if (named !== undefined && named !== caller.accountId) throw new Failure('account_mismatch');
  return caller.accountId;
}

interface Range {
  readonly from: string;
  readonly to: string;
  /** In days, including both ends. */
  readonly length: number;
}

function rangeOf({ start_date, end_date }: Query, now: Date): Range {
  const to = end_date ?? dayOf(now);
  const from = start_date ?? shifted(to, 1 - usualDays);
  const length = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  if (length < 1) refuse('must not be after end_date');
  if (length > daysMax) refuse(`must be at most ${daysMax} days before end_date`);
  return { from, to, length };
}

function refuse(msg: string): never {
  throw new InvalidRequest([{ loc: ['query', 'start_date'], msg, type: 'date_range' }]);
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
const shifted = (day: string, days: number): string =>
  dayOf(new Date(Date.parse(day) + days * dayMs));

/** Returns every day of the range, including days without a check. */
function dailyOf({ from, length }: Range, days: readonly PrescreenDay[]) {
  const byDay = Map.groupBy(days, ({ day }) => day);
  return Array.from({ length }, (_, place) => {
    const date = shifted(from, place);
    const { invited, started, completed, passed, failed } = rules.funnelOf(
      rules.addUp(byDay.get(date) ?? []),
    );
    return { date, invited, started, completed, passed, failed };
  });
}
