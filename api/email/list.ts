import { listLoginEmails } from '../../db/queries/login-emails.ts';
import { handler } from '../contract.ts';
import { limitAndOffset, pageOf } from '../paging.ts';
import type { Deps } from '../deps.ts';
import { emailContracts } from './contract.ts';
import { presentLoginEmail, primaryOf } from './present.ts';

/** The login emails of the caller’s whole identity group. */
export const list = handler(emailContracts.list)(async (
  { caller, query },
  deps: Pick<Deps, 'db' | 'sealer'>,
) => {
  const rows = await listLoginEmails(deps.db, caller.polyUserId);
  const primaryId = primaryOf(rows);
  const [length, skipped] = limitAndOffset(query);
  const shown = rows.slice(skipped, skipped + length);
  const items = await Promise.all(shown.map((row) => presentLoginEmail(deps, row, primaryId)));
  return { status: 200, body: pageOf(items, rows.length, query) };
});
