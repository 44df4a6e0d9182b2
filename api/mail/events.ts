import {
  isSignedReport,
  readReports,
  type MailReport,
} from '../../activities/delivery/mail/reports.ts';
import { addMailReports } from '../../db/queries/mail-reports.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { InvalidRequest } from '../http/problem/problem.ts';
import { mailContracts, signatureHeader, timestampHeader } from './contract.ts';

/**
 * Stores the mail provider's reports. A relay signals the workflows, so that none is lost while
 * Temporal is unavailable. A repeated report changes nothing.
 */
export const events = handler(mailContracts.events)(async (
  { headers, body, call },
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
) => {
  const { mailReportKey: key } = settings;
  const [signature, timestamp] = [headers[signatureHeader], headers[timestampHeader]];
  const isSigned =
    key !== null &&
    signature !== undefined &&
    timestamp !== undefined &&
    isSignedReport(key, { signature, timestamp, body }, call.now);
  if (!isSigned) throw new Failure('credential_invalid');
  const reports = reportsOf(body);
  if (reports.length > 0) await addMailReports(db, reports, call.now);
  return { status: 204, isEmpty: true };
});

function reportsOf(body: Uint8Array): MailReport[] {
  try {
    return readReports(body);
  } catch {
    const msg = 'the body is not a JSON list';
    throw new InvalidRequest([{ loc: ['body'], msg, type: 'json_invalid' }]);
  }
}
