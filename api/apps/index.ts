import { family } from '../http/contract.ts';
import { archive } from './archive.ts';
import { appContracts } from './contract.ts';
import { create } from './create.ts';
import { prescreenAccount } from './prescreen/account.ts';
import { prescreenContracts } from './prescreen/contracts.ts';
import { prescreenSummary } from './prescreen/summary.ts';
import { get } from './read/get.ts';
import { list } from './read/list.ts';
import { preview } from './read/preview.ts';
import { status } from './read/status.ts';
import { update } from './update.ts';
import { users } from './read/users.ts';

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
    preview,
    update,
    archive,
  },
);
