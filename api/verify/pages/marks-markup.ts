import type { Language } from '../../../domain/languages/languages.ts';
import { say } from '../../../domain/languages/say.ts';
import { marksOf } from '../../../domain/pdf/layout/marks.ts';
import { html, type Markup } from '../../http/html/markup.ts';

/** What keeps an affidavit from being taken for the real thing, each mark as a paragraph. */
export function marksMarkup(of: Parameters<typeof marksOf>[0], language: Language): Markup[] {
  return marksOf(of).map(
    ({ name }) =>
      html`<p class="notice wait">
        <span><strong>${name}</strong>: ${say(language, `verify.mark.${name}`)}</span>
      </p>`,
  );
}
