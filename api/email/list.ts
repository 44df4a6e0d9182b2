import { listLoginEmails } from '../../db/queries/login-emails.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { limitAndOffset, pageOf } from '../http/fields/paging.ts';
import { emailContracts } from './contract.ts';
import { presentLoginEmail } from './present.ts';

/** Returns the login emails of the caller's identity group. */
export const list = handler(emailContracts.list)(async (
  { caller, query },
  deps: Pick<Deps, 'db' | 'sealer'>,
) => {
  const { rows, total } = await listLoginEmails(deps.db, caller.polyUserId, limitAndOffset(query));
  const items = await Promise.all(rows.map((row) => presentLoginEmail(deps, row)));
  return { status: 200, body: pageOf(items, total, query) };
});
