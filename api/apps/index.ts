import { family } from '../http/contract.ts';
import { archive } from './archive.ts';
import { appContracts } from './contract.ts';
import { create } from './create.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { prescreenAccount } from './prescreen/account.ts';
import { prescreenContracts } from './prescreen/contracts.ts';
import { prescreenSummary } from './prescreen/summary.ts';
import { status } from './status.ts';
import { update } from './update.ts';
import { users } from './users/users.ts';

export const apps = family(
  'apps',
  { ...appContracts, ...prescreenContracts },
  {
    list,
    status,
    users,
    prescreenAccount,
    prescreenSummary,
    create,
    get,
    update,
    archive,
  },
);
