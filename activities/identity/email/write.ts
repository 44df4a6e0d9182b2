import { say } from '../../../domain/languages/say.ts';
import type { Language } from '../../../domain/languages/languages.ts';
import type { EmailPurpose } from '../../../domain/names.ts';
import { compose, type Letter } from '../../delivery/letters/compose.ts';
import { tokenLifeMs } from './requests.ts';

export interface EmailFacts {
  readonly language: Language;
  readonly purpose: EmailPurpose;
  readonly url: string;
  /** Where the person signs in: name of the requesting app, or host of this service. */
  readonly site: string;
  /**
   * Account of the requesting app. The name of an app alone could deceive, since anyone can choose
   * it.
   */
  readonly asker?: { readonly account: string; readonly isVerified: boolean };
}

/** Writes the letter that carries a token. */
export function writeEmail({ language, purpose, url, site, asker }: EmailFacts): Letter {
  const askerText =
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
      ...(askerText ? [say(language, askerText.phrase, askerText.values)] : []),
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
