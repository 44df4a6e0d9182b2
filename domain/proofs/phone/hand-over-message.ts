import { say } from '../../languages/say.ts';
import { writtenLanguage } from '../../languages/spoken.ts';
import { plainName } from './code.ts';

/**
 * The text of the message by which a check goes on on a phone: who asks, the address, and a
 * warning, because anyone who begins a check can have it sent to any number.
 * @param appName as the account wrote it
 * @param locale a BCP 47 tag; English where its language is not spoken
 */
export function handOverMessage(url: string, appName: string, locale: string | null): string {
  const app = plainName(appName) || new URL(url).host;
  const language = writtenLanguage(locale);
  const lines = [
    say(language, 'sms.hand_over', { app }),
    url,
    say(language, 'sms.hand_over_unasked'),
  ];
  return lines.join('\n');
}
