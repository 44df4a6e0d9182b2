import { readFileSync, writeFileSync } from 'node:fs';
import mjml2html from 'mjml';

const folder = new URL('../../../activities/delivery/letters/', import.meta.url);

/** Where the template of letters is kept as `compose` reads it. */
export const compiledPath = new URL('letter.html', folder);

/**
 * The template of letters as HTML. What MJML writes for one direction becomes a name to fill in, so
 * that one template serves both; fonts are those the reader has.
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
