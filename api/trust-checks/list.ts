import { inReach } from '../../db/client.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import { enterAccount } from '../accounts/enter.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { limitAndOffset, pageOf } from '../paging.ts';
import { trustCheckContracts } from './contract.ts';
import { presentSession } from './present.ts';

const filter = `account_id = $1 AND ($2::text IS NULL OR app_id = $2)
  AND ($3::text IS NULL OR link_uuid = $3) AND ($4::text IS NULL OR status::text = $4)
  AND ($5::text IS NULL OR reference_id = $5)`;
const listPage = inReach<TrustCheckRow>(
  'trust_checks.page',
  (reach) => `SELECT * FROM trust_checks WHERE ${filter} ${reach}
   ORDER BY created_at DESC, link_session_id LIMIT $6 OFFSET $7`,
);
const count = inReach<{ total: number }>(
  'trust_checks.count',
  (reach) => `SELECT count(*)::int AS total FROM trust_checks WHERE ${filter} ${reach}`,
);

/** Sessions of the caller's account, newest first. */
export const list = handler(trustCheckContracts.list)(async (
  input,
  deps: Pick<Deps, 'db' | 'sealer'>,
) => {
  const { app_id, link_uuid, status, reference_id } = input.query;
  const accountId = input.query.account_id ?? input.caller.accountId;
  if (accountId === null) throw new Failure('not_found');
  const reach = await enterAccount(deps, input, accountId);
  const values = [
    accountId,
    app_id ?? null,
    link_uuid ?? null,
    status ?? null,
    reference_id ?? null,
  ];
  const rows = await listPage(deps.db, [...values, ...limitAndOffset(input.query)], reach);
  const [counted] = await count(deps.db, values, reach);
  const items = await Promise.all(rows.map((row) => presentSession(deps, row)));
  return { status: 200, body: pageOf(items, counted?.total ?? 0, input.query) };
});
