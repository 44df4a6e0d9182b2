import { say } from '../../languages/say.ts';
import { writtenLanguage } from '../../languages/spoken.ts';
import { plainName } from './code.ts';

/**
 * The text of the message by which a check goes on on a phone: who asks, and the address.
 * @param appName as the account wrote it
 * @param locale a BCP 47 tag; English where its language is not spoken
 */
export function handOverMessage(url: string, appName: string, locale: string | null): string {
  const app = plainName(appName) || new URL(url).host;
  return `${say(writtenLanguage(locale), 'sms.hand_over', { app })}\n${url}`;
}
