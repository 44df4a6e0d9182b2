import { plainLine } from '../../domain/languages/format.ts';
import { say } from '../../domain/languages/say.ts';
import type { Language } from '../../domain/languages/languages.ts';
import { compose, type Letter } from '../delivery/letters/compose.ts';

export interface InvitationFacts {
  readonly language: Language;
  readonly url: string;
  readonly requester: string;
  readonly appName: string;
  readonly recipientName?: string;
  readonly note?: string;
  /** When the link expires; null for never. */
  readonly until: Date | null;
}

/** Writes the letter that carries a link to its recipient. */
export function writeInvitation(facts: InvitationFacts): Letter {
  const { language, url, requester, appName, until } = facts;
  const name = plainLine(facts.recipientName ?? '');
  const note = plainLine(facts.note ?? '');
  return compose({
    language,
    url,
    subject: say(language, 'invitation.subject', { requester }),
    paragraphs: [
      name ? say(language, 'letter.hello_named', { name }) : say(language, 'letter.hello'),
      say(language, 'invitation.ask', { requester, app: appName }),
    ],
    ...(note ? { note: { by: say(language, 'invitation.note', { requester }), text: note } } : {}),
    action: say(language, 'invitation.act'),
    small: [
      say(language, 'invitation.once'),
      ...(until ? [say(language, 'invitation.until', { until })] : []),
      say(language, 'invitation.ignore'),
    ],
    sender: requester,
  });
}
