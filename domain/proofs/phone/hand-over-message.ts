import { say } from '../../languages/say.ts';
import { writtenLanguage } from '../../languages/spoken.ts';
import { plainName } from './code.ts';

/**
 * Returns the message that continues a check on a phone: the app, the address, and a warning.
 * Anyone who starts a check can have it sent to any number, hence the warning.
 * @param appName as the account wrote it
 * @param locale a BCP 47 tag; the text is English if its language is not supported
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
