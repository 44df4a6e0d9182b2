import { firstOf } from '../../db/client.ts';
import { eventObject } from '../../db/queries/event-object.ts';
import { getEvent } from '../../db/queries/events.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { eventContracts } from './contract.ts';

/** Returns one event of the caller's account, or of any account for a POLYADMIN. */
export const get = handler(eventContracts.get)(async (input, deps: Pick<Deps, 'db' | 'sealer'>) => {
  const { accountId, roles } = input.caller;
  if (accountId === null) throw new Failure('not_found');
  const within = roles.includes('POLYADMIN') ? null : accountId;
  const row = firstOf(await getEvent(deps.db, [input.path.event_id, within]));
  if (!row) throw new Failure('not_found');
  input.authorize(row);
  return { status: 200, body: await eventObject(deps.sealer, row) };
});
