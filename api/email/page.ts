import { wantedLanguage } from '../../domain/languages/spoken.ts';
import { handler } from '../http/contract.ts';
import { emailContracts } from './contract.ts';
import { emailPage } from './email-page.ts';

/** The page of a mailed link, in the language of the mail. */
export const page = handler(emailContracts.page)(async ({ query, call }) => ({
  status: 200,
  ...emailPage(wantedLanguage([query.locale, call.header('accept-language')])),
}));
