import { family } from '../contract.ts';
import { sessionContracts } from './contract.ts';
import { portalLogin } from './portal-login.ts';
import { token } from './token.ts';

export const session = family('session', sessionContracts, { portalLogin, token });
