import { encode } from 'html-entities';

export interface InvitationFacts {
  readonly url: string;
  readonly requester: string;
  readonly appName: string;
  readonly recipientName?: string;
  readonly note?: string;
}

/** The fixed invitation: a subject, a plain part and an HTML part that say the same. */
export function writeInvitation(facts: InvitationFacts): {
  subject: string;
  text: string;
  html: string;
} {
  const requester = line(facts.requester);
  const greeting = facts.recipientName ? `Hello ${line(facts.recipientName)},` : 'Hello,';
  const ask = `${requester} asks you to confirm who you are with ${line(facts.appName)}.`;
  const once = 'The link is for you alone and works once. Opening it changes nothing yet.';
  const ignore = 'If you did not expect this message, ignore it.';
  const note = facts.note ? [line(facts.note)] : [];
  return {
    subject: `${requester} asks you to confirm who you are`,
    text: [greeting, ask, ...note, facts.url, once, ignore].join('\n\n'),
    html: [
      '<!doctype html><html lang="en"><meta charset="utf-8"><body>',
      ...[greeting, ask, ...note].map((paragraph) => `<p>${encode(paragraph)}</p>`),
      `<p><a href="${encode(facts.url)}">Confirm who you are</a></p>`,
      ...[once, ignore].map((paragraph) => `<p>${encode(paragraph)}</p>`),
      '</body></html>',
    ].join('\n'),
  };
}

/** One line of plain text, whatever was put into the field. */
function line(text: string): string {
  return text.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
}
