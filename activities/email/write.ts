import type { EmailPurpose } from '../../db/names.ts';
import { compose, type Letter } from '../letters/compose.ts';
import { say } from '../languages/say.ts';
import type { Language } from '../languages/spoken.ts';
import { tokenLifeMs } from './requests.ts';

export interface EmailFacts {
  readonly language: Language;
  readonly purpose: EmailPurpose;
  readonly url: string;
  /** What is signed in to: the app that asks, or the host of this service. */
  readonly site: string;
}

/** The letter that carries a token. */
export function writeEmail({ language, purpose, url, site }: EmailFacts): Letter {
  return compose({
    language,
    url,
    subject: say(language, `${purpose}.subject`),
    paragraphs: [say(language, 'letter.hello'), say(language, `${purpose}.ask`, { site })],
    action: say(language, `${purpose}.act`),
    small: [
      say(language, 'token.once', { minutes: tokenLifeMs / 60_000 }),
      say(language, 'token.ignore'),
    ],
    sender: site,
  });
}
