import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { emailContracts } from './contract.ts';

/** The page of a mailed link. */
export const page = handler(emailContracts.page)(
  async (_input, { pages }: Pick<Deps, 'pages'>) => ({
    status: 200,
    ...pages.email(),
  }),
);
