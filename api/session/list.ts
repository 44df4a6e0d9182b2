import { listSessions } from '../../db/queries/sessions.ts';
import type { Deps } from '../deps.ts';
import { onlyAccountOf } from '../http/auth/session-scope.ts';
import { handler } from '../http/contract.ts';
import { limitAndOffset, pageOf } from '../http/fields/paging.ts';
import { openDeviceLabel } from '../sign-in/device-label.ts';
import { liveContracts } from './live-contract.ts';

/** Returns a person's live sessions. A session limited to one account sees only itself. */
export const list = handler(liveContracts.list)(async (
  { query, caller, call },
  { db, sealer }: Pick<Deps, 'db' | 'sealer'>,
) => {
  const { polyUserId, sid } = caller;
  const onlySid = onlyAccountOf(caller) === undefined ? null : sid;
  const owner = { polyUserId, onlySid };
  const { rows, total } = await listSessions(db, owner, call.now, limitAndOffset(query));
  const items = await Promise.all(
    rows.map(async ({ device_label_sealed: sealed, device_name, ...row }) => ({
      ...row,
      device_label: (await openDeviceLabel(sealer, row.sid, sealed)) ?? device_name,
      created_at: row.created_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      current: row.sid === sid,
    })),
  );
  return { status: 200, body: pageOf(items, total, query) };
});
