import { html, type Markup } from '../pages/markup.ts';

/** Paragraphs of a description, with what stands between backticks as code. */
export function paragraphs(text: string): Markup {
  const parts = text.split('\n\n').filter((part) => part !== '');
  return html`${parts.map((part) => html`<p>${inline(part)}</p>`)}`;
}

/** One line of a description. */
export function inline(text: string): Markup {
  const parts = text.split('`');
  const drawn = parts.map((part, index) => {
    return index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`;
  });
  return html`${drawn}`;
}
