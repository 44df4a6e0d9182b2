import { readFileSync, writeFileSync } from 'node:fs';
import mjml2html from 'mjml';

const folder = new URL('../../../activities/delivery/letters/', import.meta.url);

/** Path of the compiled letter template that `compose` reads. */
export const compiledPath = new URL('letter.html', folder);

/**
 * Compiles the letter template to HTML. Replaces the text directions that MJML writes with a
 * placeholder, so that one template serves both. Uses only fonts of the reader's system.
 */
export async function compileLetter(): Promise<string> {
  const source = readFileSync(new URL('letter.mjml', folder), 'utf8');
  const { html, errors } = await mjml2html(source, { validationLevel: 'strict', fonts: {} });
  if (errors.length > 0) throw new Error(errors.map((each) => each.formattedMessage).join('\n'));
  const inEither = html
    .replaceAll('direction:ltr', 'direction:{{direction}}')
    .replaceAll('text-align:left', 'text-align:{{start}}')
    .replaceAll('align="left"', 'align="{{start}}"');
  return `${inEither.replaceAll(/^\s*\n/gm, '').trim()}\n`;
}

if (import.meta.main) writeFileSync(compiledPath, await compileLetter());
