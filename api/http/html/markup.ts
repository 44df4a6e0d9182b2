import { encode } from 'html-entities';

/** Markup that is known to be escaped; a plain string never is. */
export interface Markup {
  readonly markup: string;
}

type Part = Markup | string | number | readonly Markup[];

export const nothing: Markup = { markup: '' };

/**
 * No document may hold these (XML 1.0 §2.2): the controls below space, but tab and line ends, and
 * the two that are no characters.
 */
const controls = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/gu;

/** Builds markup from a template; every string put into it is escaped. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const markup = strings.reduce(
    (text, string, index) => text + textOf(parts[index - 1] ?? '') + string,
  );
  return { markup };
}

function textOf(part: Part): string {
  if (typeof part === 'string' || typeof part === 'number')
    return encode(String(part).replaceAll(controls, ''));
  if ('markup' in part) return part.markup;
  return part.map(({ markup }) => markup).join('');
}

/** A block of data, which no browser runs; nothing in it can end its element. */
export function jsonBlock(id: string, value: unknown): Markup {
  const json = JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
  return { markup: `<script type="application/json" id="${id}">${json}</script>` };
}
