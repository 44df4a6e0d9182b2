import { listDevices } from '../../db/queries/devices.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { deviceContracts } from './contract.ts';
import { presentDevice } from './present.ts';

export const list = handler(deviceContracts.list)(async (input, deps: Pick<Deps, 'db'>) => {
  const rows = await listDevices(deps.db, input.caller.polyUserId);
  return { status: 200, body: { items: rows.map(presentDevice) } };
});
