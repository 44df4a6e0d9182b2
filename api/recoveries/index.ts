import { family } from '../contract.ts';
import { recoveryContracts } from './contract.ts';
import { approve, cancel, deny } from './decide.ts';
import { list } from './list.ts';
import { open } from './open.ts';

export const recoveries = family('recoveries', recoveryContracts, {
  list,
  open,
  approve,
  deny,
  cancel,
});
