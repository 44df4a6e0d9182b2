import { countDevices, listDevices } from '../../db/queries/devices.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { limitAndOffset, pageOf } from '../http/fields/paging.ts';
import { deviceContracts } from './contract.ts';
import { presentDevice } from './present.ts';

export const list = handler(deviceContracts.list)(async (input, deps: Pick<Deps, 'db'>) => {
  const { polyUserId } = input.caller;
  const rows = await listDevices(deps.db, [polyUserId, ...limitAndOffset(input.query)]);
  const total = await countDevices(deps.db, polyUserId);
  return { status: 200, body: pageOf(rows.map(presentDevice), total, input.query) };
});
