import { readReportUrl } from '../../activities/meetings/report/report-url.ts';
import { findPerson } from '../../db/queries/meeting-participants.ts';
import { findReportAt, type ReportRow } from '../../db/queries/meeting-reports.ts';
import { hasRole } from '../../domain/names.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from '../http/auth/caller.ts';
import { personIn } from '../http/auth/session-scope.ts';
import { handler } from '../http/contract.ts';
import { meetingLogContracts } from './meeting-contract.ts';

const ttlSeconds = 60;
const noKey = 'reports/0/none.pdf';

/**
 * Redirects to the report that a signed token names. While the token is fresh, anyone with it may
 * read the report; later only participants and ADMINs of the account. The address never comes from
 * the token. Every miss gets the same response after the same work.
 */
export const report = handler(meetingLogContracts.report)(async (
  { path, caller, call, reaches },
  deps: Pick<Deps, 'db' | 'files' | 'keys'>,
) => {
  const secrets = deps.keys.acceptedSecrets('report-urls', call.now);
  const named = readReportUrl(secrets, path.encoded_storage_url, call.now);
  const row = await findReportAt(deps.db, named?.key ?? noKey);
  const isAllowed =
    row !== null &&
    (named?.isGranted || (reaches({ ...row, app_id: null }) && (await mayRead(deps, row, caller))));
  const location = await deps.files.objects.presign(row?.object_key ?? noKey, {
    ttlSeconds,
    filename: `meeting-${row?.report_id ?? 'none'}.pdf`,
    contentType: 'application/pdf',
  });
  if (row?.status !== 'available' || !isAllowed) throw new Failure('not_found');
  return {
    status: 302,
    location,
    headers: { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
  };
});

async function mayRead(
  { db }: Pick<Deps, 'db'>,
  { account_id, meeting_key }: ReportRow,
  caller: Caller,
): Promise<boolean> {
  if (caller.kind !== 'session' && caller.kind !== 'api-key') return false;
  if (caller.roles.includes('POLYADMIN')) return true;
  if (caller.accountId === account_id && hasRole(caller.roles, 'ADMIN')) return true;
  const person = personIn(caller, account_id);
  return person !== null && (await findPerson(db, meeting_key, person)) !== null;
}
