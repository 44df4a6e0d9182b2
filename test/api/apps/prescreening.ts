import { createPrescreenActivities } from '../../../activities/trust-checks/prescreen/activities.ts';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { transaction, type Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { appendEvents } from '../../../db/queries/events.ts';
import { sessionEvent } from '../../../db/queries/session-event.ts';
import { findTrustCheck } from '../../../db/queries/trust-checks.ts';
import { call, type Answer } from '../../support/http/client.ts';

/** The outcome of a check. */
export interface Came {
  readonly status: string;
  /**
   * Seconds from the creation of the link to opening, pairing, consent, submission and decision.
   */
  readonly after?: readonly number[];
  readonly reason?: string;
  readonly proof?: string;
  readonly accepted?: boolean;
}

/** Creates prescreen checks in an account of its own, and reads the counts. */
export interface Prescreening {
  /** The warnings about accounts that could not be counted. */
  readonly warned: unknown[];
  newLink(body?: Record<string, unknown>): Promise<string>;
  /** Inserts a session as its workflow leaves it, and the event of its last change. */
  newCheck(link: string, came: Came): Promise<string>;
  /** Inserts the event of a change of a session. */
  tell(id: string): Promise<void>;
  /** Runs the rollup until it is done, as the schedule does. */
  roll(): Promise<void>;
  summary(query?: string, token?: string): Promise<Answer>;
  /** Returns the funnel stages with a count above zero. */
  funnel(query?: string, token?: string): Promise<Record<string, number>>;
}

export function prescreening(db: Db, account: Seed): Prescreening {
  const warned: unknown[] = [];
  const { rollUpPrescreen } = createPrescreenActivities({
    db,
    clock: () => new Date(),
    log: { warn: (told: object) => warned.push(told) },
  });
  const summary = (query = '', token = account.api_key): Promise<Answer> =>
    call('GET', `/v2/analytics/prescreen/summary?${query}`, { token });
  return {
    warned,
    newLink: (body = {}) => newLink(account, body),
    async newCheck(link, came) {
      const id = await insertCheck(db, link, came);
      await tell(db, id);
      return id;
    },
    tell: (id) => tell(db, id),
    async roll() {
      let step = { after_account_id: account.account_id - 1, is_done: false };
      while (!step.is_done) step = await rollUpPrescreen(step);
    },
    summary,
    async funnel(query, token) {
      const { status, body } = await summary(query, token);
      if (status !== 200) throw new Error(`no summary: ${JSON.stringify(body)}`);
      const all = Object.entries(body['funnel'] as Record<string, number>);
      return Object.fromEntries(all.filter(([, count]) => count > 0));
    },
  };
}

async function newLink(account: Seed, body: Record<string, unknown>): Promise<string> {
  const made = await call('PUT', `/v2/link/type/prescreen?app_id=${account.app_id}`, {
    token: account.api_key,
    body: { required_proofs: ['phone'], single_use: true, ...body },
  });
  if (made.status !== 200) throw new Error(`no link: ${made.text}`);
  return String(made.body['link_uuid']);
}

async function insertCheck(db: Db, link: string, came: Came): Promise<string> {
  const id = randomIds.make('tc');
  const { status, after = [], reason = null, proof = 'ready', accepted = true } = came;
  const seconds = Array.from({ length: 5 }, (_, place) => after[place] ?? null);
  const proofs = [{ type: 'phone', status: proof, attempt: proof === 'ready' ? 0 : 2 }];
  await db.query(
    `INSERT INTO trust_checks (link_session_id, link_uuid, app_id, account_id, client, status,
       reason_code, proofs, asked, matching, livemode, created_at, opened_at, paired_at, consent,
       submitted_at, decided_at)
     SELECT $1, link_uuid, app_id, account_id, 'web', $3, $4, $5,
       '{"link_type":"prescreen"}', '{}', livemode, created_at, created_at + $6 * interval '1 s',
       created_at + $7 * interval '1 s',
       CASE WHEN $8::int IS NOT NULL THEN jsonb_build_object('accepted', $11::bool, 'claims', '[]',
         'at', created_at + $8 * interval '1 s') END,
       created_at + $9 * interval '1 s', created_at + $10 * interval '1 s'
     FROM links WHERE link_uuid = $2`,
    [id, link, status, reason, JSON.stringify(proofs), ...seconds, accepted],
  );
  return id;
}

async function tell(db: Db, id: string): Promise<void> {
  const row = await findTrustCheck(db, id);
  if (!row) throw new Error('no session');
  await transaction(db, (tx) =>
    appendEvents(tx, { ids: randomIds, now: new Date() }, [
      sessionEvent(row, 'trust_check.opened'),
    ]),
  );
}
