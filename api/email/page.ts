import { handler } from '../http/contract.ts';
import { emailContracts } from './contract.ts';
import { emailPage } from './email-page.ts';

/** The page of a mailed link. */
export const page = handler(emailContracts.page)(async () => ({
  status: 200,
  ...emailPage(),
}));
