import { say } from '../../../domain/languages/say.ts';
import type { Language } from '../../../domain/languages/languages.ts';
import type { EmailPurpose } from '../../../domain/names.ts';
import { compose, type Letter } from '../../delivery/letters/compose.ts';
import { tokenLifeMs } from './requests.ts';

export interface EmailFacts {
  readonly language: Language;
  readonly purpose: EmailPurpose;
  readonly url: string;
  /** What is signed in to: the app that asks, or the host of this service. */
  readonly site: string;
  /** The account whose app asks: a name alone, which anybody gives their app, deceives. */
  readonly asker?: { readonly account: string; readonly isVerified: boolean };
}

/** The letter that carries a token. */
export function writeEmail({ language, purpose, url, site, asker }: EmailFacts): Letter {
  const asked =
    asker &&
    ({
      phrase: asker.isVerified ? 'token.asked' : 'token.unverified',
      values: { account: asker.account, host: new URL(url).host },
    } as const);
  return compose({
    language,
    url,
    subject: say(language, `${purpose}.subject`),
    paragraphs: [
      say(language, 'letter.hello'),
      say(language, `${purpose}.ask`, { site }),
      ...(asked ? [say(language, asked.phrase, asked.values)] : []),
      ...(purpose === 'attach' ? [say(language, 'attach.warn')] : []),
    ],
    action: say(language, `${purpose}.act`),
    small: [
      say(language, 'token.once', { minutes: tokenLifeMs / 60_000 }),
      say(language, 'token.ignore'),
    ],
    sender: site,
  });
}
