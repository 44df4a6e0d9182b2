import { readReport } from '../../activities/delivery/sms/reports.ts';
import { noteCodeDelivery } from '../../db/queries/proofs.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { signatureHeader, smsContracts } from './contract.ts';
import { readSend, reportTo } from './report-to.ts';

/**
 * Stores the provider's report on a code. Its signature has no time, so a report can be replayed,
 * but a repeated one changes nothing.
 */
export const events = handler(smsContracts.events)(async (
  { query, headers, body },
  deps: Pick<Deps, 'db' | 'outside' | 'settings' | 'telemetry'>,
) => {
  const send = readSend(query.send);
  const signature = headers[signatureHeader];
  const url = reportTo(deps.settings.baseUrl, send);
  const isSigned =
    signature !== undefined && (await deps.outside.sms.isReport({ url, signature, body }));
  if (!isSigned) throw new Failure('credential_invalid');
  const report = readReport(body);
  if (report && (await noteCodeDelivery(deps.db, send, report))) {
    deps.telemetry.metrics.sms.deliveries.inc({
      result: report.state,
      reason: report.reason ?? 'none',
    });
  }
  return { status: 204, isEmpty: true };
});
