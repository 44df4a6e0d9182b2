import { family } from '../http/contract.ts';
import { challenge } from './challenge.ts';
import { deviceContracts } from './contract.ts';
import { enroll } from './enroll.ts';
import { list } from './list.ts';
import { renew } from './renew.ts';
import { revoke } from './revoke.ts';

export const devices = family('devices', deviceContracts, {
  challenge,
  enroll,
  list,
  revoke,
  renew,
});
