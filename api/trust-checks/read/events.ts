import { listStream, trustCheckStream } from '../../../db/queries/events.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { findSessionOrThrow } from '../../running-checks/find.ts';
import { presentEvent } from '../../running-checks/subject-view.ts';
import { trustCheckContracts } from '../contract.ts';

export const events = handler(trustCheckContracts.events)(async (
  input,
  deps: Pick<Deps, 'db' | 'sealer'>,
) => {
  const { after, limit } = input.query;
  const { caller } = input;
  await findSessionOrThrow(deps, input.path.id, caller, input.authorize);
  const rows = await listStream(deps.db, [trustCheckStream(input.path.id), after, limit + 1]);
  const items = rows.slice(0, limit);
  return {
    status: 200,
    body: {
      items: await Promise.all(items.map((row) => presentEvent(deps.sealer, row, caller))),
      next_after: String(items.at(-1)?.seq ?? after),
      has_more: rows.length > limit,
    },
  };
});
