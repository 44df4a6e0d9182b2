import { listLoginEmails } from '../../db/queries/login-emails.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { emailContracts } from './contract.ts';
import { presentLoginEmail, primaryOf } from './present.ts';

/** The login emails of the caller’s whole identity group. */
export const list = handler(emailContracts.list)(async (
  { caller },
  deps: Pick<Deps, 'db' | 'sealer'>,
) => {
  const rows = await listLoginEmails(deps.db, caller.polyUserId);
  const primaryId = primaryOf(rows);
  const items = await Promise.all(rows.map(async (row) => presentLoginEmail(deps, row, primaryId)));
  return { status: 200, body: { items } };
});
