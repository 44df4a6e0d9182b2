import { family } from '../http/contract.ts';
import { approve } from './approve.ts';
import { cancel } from './cancel.ts';
import { recoveryContracts } from './contract.ts';
import { deny } from './deny.ts';
import { list } from './list.ts';
import { open } from './open.ts';

export const recoveries = family('recoveries', recoveryContracts, {
  list,
  open,
  approve,
  deny,
  cancel,
});
