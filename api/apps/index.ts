import { family } from '../contract.ts';
import { archive } from './archive.ts';
import { appContracts } from './contract.ts';
import { create } from './create.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { status } from './status.ts';
import { update } from './update.ts';
import { users } from './users.ts';

export const apps = family('apps', appContracts, {
  list,
  status,
  users,
  create,
  get,
  update,
  archive,
});
