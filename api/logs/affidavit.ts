import { firstOf, statement } from '../../db/client.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { hasRole } from '../../domain/names.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { personIn } from '../http/auth/session-scope.ts';
import { handler } from '../http/contract.ts';
import { isReasonWithheld } from '../running-checks/subject-view.ts';
import { logContracts } from './contract.ts';

const ttlSeconds = 60;
const noKey = 'affidavits/none/none/none/v1.pdf';

interface ManifestRow {
  readonly affidavit_id: string;
  readonly affidavit_key: string | null;
  readonly account_id: number;
  readonly app_id: string;
  readonly livemode: boolean;
  readonly status: TrustCheckRow['status'];
  readonly subject_reasons: TrustCheckRow['subject_reasons'];
  readonly is_subject: boolean;
}

const find = statement<ManifestRow>(
  'affidavits.manifest',
  `SELECT f.affidavit_id, f.affidavit_key, t.account_id, t.app_id, t.livemode,
     t.status, t.subject_reasons,
     EXISTS (SELECT 1 FROM poly_users a JOIN poly_users b USING (identity_group_id)
       WHERE a.poly_user_id = t.poly_user_id AND b.poly_user_id = :poly_user_id) AS is_subject
   FROM trust_checks t JOIN affidavits f USING (link_session_id)
   WHERE t.link_session_id = :link_session_id AND t.app_id = :app_id`,
);

/** Returns a short-lived URL of a session's affidavit; null where none is available. */
export async function presignAffidavit(
  { db, files }: Pick<Deps, 'db' | 'files'>,
  { link_session_id, app_id }: { readonly link_session_id: string; readonly app_id: string },
  now: Date,
): Promise<{ readonly url: string | null; readonly url_expires_at: string | null }> {
  const row = firstOf(await find(db, { link_session_id, app_id, poly_user_id: null }));
  if (!row?.affidavit_key) return { url: null, url_expires_at: null };
  const url = await files.objects.presign(row.affidavit_key, fileOf(row.affidavit_id));
  return { url, url_expires_at: new Date(now.getTime() + ttlSeconds * 1000).toISOString() };
}

const fileOf = (affidavitId: string) => ({
  ttlSeconds,
  filename: `affidavit-${affidavitId}.pdf`,
  contentType: 'application/pdf',
});

/**
 * Redirects to the affidavit, for the verified subject (under any of their ids) or an ADMIN of the
 * session's account. The decision comes after the same work for every caller, so that neither
 * response nor timing reveals whether a session exists.
 */
export const affidavit = handler(logContracts.affidavit)(async (
  input,
  deps: Pick<Deps, 'db' | 'files'>,
) => {
  const { caller } = input;
  const { trust_check_session_id: id, app_id: appId } = input.path;
  const person = caller.kind === 'session' ? caller.polyUserId : null;
  const row = firstOf(
    await find(deps.db, { link_session_id: id, app_id: appId, poly_user_id: person }),
  );
  // The affidavit of a failed check states the reason.
  const isSubject =
    row?.is_subject === true && personIn(caller, row.account_id) !== null && !isReasonWithheld(row);
  const isPlatform = caller.roles.includes('POLYADMIN');
  const isAdmin = caller.accountId === row?.account_id && hasRole(caller.roles, 'ADMIN');
  const location = await deps.files.objects.presign(
    row?.affidavit_key ?? noKey,
    fileOf(row?.affidavit_id ?? 'none'),
  );
  const isAllowed = (isSubject || isAdmin || isPlatform) && row !== null && input.reaches(row);
  if (!row?.affidavit_key || !isAllowed) throw new Failure('not_found');
  return {
    status: 302,
    location,
    headers: { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
  };
});
