import { family } from '../contract.ts';
import { sessionContracts } from './contract.ts';
import { createInvite } from './create-invite.ts';
import { exchangeInvite } from './exchange-invite.ts';
import { portalLogin } from './portal-login.ts';
import { stepUp } from './step-up.ts';
import { switchAccount } from './switch-account.ts';
import { token } from './token.ts';

export const session = family('session', sessionContracts, {
  portalLogin,
  stepUp,
  switchAccount,
  createInvite,
  exchangeInvite,
  token,
});
