import { say } from '../../../domain/languages/say.ts';
import type { Language } from '../../../domain/languages/languages.ts';
import { compose, type Letter } from '../../delivery/letters/compose.ts';

export interface MemberInvitationFacts {
  readonly language: Language;
  readonly url: string;
  /** Name of the account. */
  readonly account: string;
  /** Host of the service at which to sign in. */
  readonly site: string;
  /** When the invitation expires. */
  readonly until: Date;
}

/** Writes the letter that invites a person to an account. */
export function writeMemberInvitation(facts: MemberInvitationFacts): Letter {
  const { language, url, account, site, until } = facts;
  return compose({
    language,
    url,
    subject: say(language, 'member.subject', { account }),
    paragraphs: [say(language, 'letter.hello'), say(language, 'member.ask', { account, site })],
    action: say(language, 'login.act'),
    small: [say(language, 'member.until', { until }), say(language, 'invitation.ignore')],
    sender: account,
  });
}

export interface RecoveryNoticeFacts extends Omit<MemberInvitationFacts, 'until'> {
  readonly step: 'opened' | 'approved' | 'completed';
}

/** Writes the letter that warns a person about a step of their recovery. */
export function writeRecoveryNotice(facts: RecoveryNoticeFacts): Letter {
  const { language, url, account, site, step } = facts;
  return compose({
    language,
    url,
    subject: say(language, `recovery.${step}_subject`, { account }),
    paragraphs: [
      say(language, 'letter.hello'),
      say(language, `recovery.${step}`, { account, site }),
    ],
    action: say(language, 'login.act'),
    small: [say(language, 'recovery.warn', { account })],
    sender: account,
  });
}
