import { encode } from 'html-entities';
import type { EmailPurpose } from '../../db/names.ts';

const subjects: Readonly<Record<EmailPurpose, string>> = {
  login: 'Your link to sign in',
  attach: 'Confirm that this address is yours',
};
const asks: Readonly<Record<EmailPurpose, string>> = {
  login: 'Somebody, you we hope, wants to sign in with this address.',
  attach: 'Somebody, you we hope, wants to sign in with this address from now on.',
};

/** The mail that carries a token: a subject, a plain part and an HTML part that say the same. */
export function writeEmail(
  purpose: EmailPurpose,
  url: string,
): { subject: string; text: string; html: string } {
  const subject = subjects[purpose];
  const once =
    'The link works once, for ten minutes. Opening it changes nothing: you confirm on the page. ' +
    'Read elsewhere than where you asked, the page wants the code that is shown there.';
  const ignore = 'If it was not you, ignore this message: without the link nothing happens.';
  return {
    subject,
    text: [asks[purpose], url, once, ignore].join('\n\n'),
    html: [
      '<!doctype html><html lang="en"><meta charset="utf-8"><body>',
      `<p>${encode(asks[purpose])}</p>`,
      `<p><a href="${encode(url)}">${encode(subject)}</a></p>`,
      `<p>${encode(once)}</p><p>${encode(ignore)}</p>`,
      '</body></html>',
    ].join('\n'),
  };
}
