import { family } from '../http/contract.ts';
import { emailContracts } from './contract.ts';
import { list } from './list.ts';
import { page } from './page.ts';
import { requestLink } from './request-link.ts';
import { requestLogin } from './request-login.ts';
import { revoke } from './revoke.ts';
import { verifyLink } from './verify-link.ts';
import { verifyLogin } from './verify-login.ts';

export const email = family('email', emailContracts, {
  requestLogin,
  verifyLogin,
  requestLink,
  verifyLink,
  page,
  list,
  revoke,
});
