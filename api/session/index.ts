import { family } from '../http/contract.ts';
import { sessionContracts } from './contract.ts';
import { createInvite } from './create-invite.ts';
import { end } from './end.ts';
import { exchangeInvite } from './exchange-invite.ts';
import { joinContracts } from './join/contract.ts';
import { join } from './join/join.ts';
import { joined } from './join/joined.ts';
import { list } from './list.ts';
import { liveContracts } from './live-contract.ts';
import { portalLogin } from './portal-login.ts';
import { signOut } from './sign-out.ts';
import { stepUp } from './step-up.ts';
import { switchAccount } from './switch-account.ts';
import { token } from './token.ts';

export const session = family(
  'session',
  { ...sessionContracts, ...joinContracts, ...liveContracts },
  {
    portalLogin,
    stepUp,
    switchAccount,
    createInvite,
    exchangeInvite,
    token,
    join,
    joined,
    list,
    signOut,
    end,
  },
);
