import { firstOf, statement, type Queryable } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { trustChecks } from '../schema/trust-checks.ts';
import type { TrustCheckRow } from './trust-checks.ts';

const { link_session_id, resume_hash } = trustChecks;

const joinable = statement<TrustCheckRow>(
  'trust_checks.joinable',
  `SELECT * FROM trust_checks
   WHERE link_uuid = :linkUuid AND status IN ('created', 'opened') AND device_id IS NULL
     AND created_at > :since AND begun_from = :begunFrom
   ORDER BY created_at DESC LIMIT 2`,
);

/** Returns the unpaired sessions of a link, newest first, at most two. */
export async function findJoinable(
  on: Queryable,
  linkUuid: string,
  since: Date,
  begunFrom: string,
): Promise<TrustCheckRow[]> {
  return joinable(on, { linkUuid, since, begunFrom });
}

const setReturnTo = statement(
  'trust_checks.set_return_to',
  'UPDATE trust_checks SET return_to = :returnTo WHERE link_session_id = :id AND return_to IS NULL',
);

/** Stores the return URL of a session. The first one stays. */
export async function writeReturnTo(on: Queryable, id: string, returnTo: string): Promise<void> {
  await setReturnTo(on, { id, returnTo });
}

const bindTo = statement<TrustCheckRow>(
  'trust_checks.bind_person',
  `UPDATE trust_checks SET poly_user_id = :polyUserId
   WHERE link_session_id = :id AND poly_user_id IS NULL AND device_id IS NULL
     AND status IN ('created', 'opened') RETURNING *`,
);

/** Binds an unpaired check to a person. Returns null if it is already bound. */
export async function bindPerson(
  on: Queryable,
  id: string,
  polyUserId: string,
): Promise<TrustCheckRow | null> {
  return firstOf(await bindTo(on, { id, polyUserId }));
}

const setResumeHash = prepare(
  'trust_checks.set_resume_hash',
  { link_session_id, resume_hash },
  ({ by, equals }) =>
    build.update(trustChecks).set({ resume_hash: by.resume_hash }).where(equals.link_session_id),
);

/** Replaces the resume token of a session. An earlier token becomes invalid. */
export async function writeResumeHash(on: Queryable, id: string, hash: Buffer): Promise<void> {
  await setResumeHash(on, { link_session_id: id, resume_hash: hash });
}
