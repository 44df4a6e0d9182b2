import { html, type Markup } from '../../http/html/markup.ts';

/** Paragraphs of a description, with what stands between backticks as code. */
export function paragraphs(text: string): Markup {
  const parts = text.split('\n\n').filter((part) => part !== '');
  return html`${parts.map((part) => html`<p>${inline(part)}</p>`)}`;
}

/** One line of a description, what it names of the reference as a link. */
export function inline(text: string): Markup {
  const parts = text.split('`');
  const drawn = parts.map((part, index) => {
    return index % 2 === 1 ? html`<code>${part}</code>` : linked(part);
  });
  return html`${drawn}`;
}

function linked(text: string): Markup {
  const parts = text.split(/(\/docs\/[\w/-]+(?:#[\w-]+)?)/);
  return html`${parts.map((part, index) =>
    index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`,
  )}`;
}
