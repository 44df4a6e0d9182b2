import type { Language } from '../../../domain/languages/languages.ts';
import { say } from '../../../domain/languages/say.ts';
import { marksOf } from '../../../domain/pdf/layout/marks.ts';
import { html, type Markup } from '../../http/html/markup.ts';

/** Renders the warnings about an affidavit that is not genuine evidence, one paragraph each. */
export function marksMarkup(of: Parameters<typeof marksOf>[0], language: Language): Markup[] {
  return marksOf(of).map(
    ({ name }) =>
      html`<p class="notice wait">
        <span><strong>${name}</strong>: ${say(language, `verify.mark.${name}`)}</span>
      </p>`,
  );
}
