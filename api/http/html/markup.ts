import { encode } from 'html-entities';

/** Markup that is already escaped. A plain string is escaped when it is inserted. */
export interface Markup {
  readonly markup: string;
}

type Part = Markup | string | number | readonly Markup[];

export const nothing: Markup = { markup: '' };

/**
 * Characters that are not allowed in a document (XML 1.0 §2.2): the C0 control characters except
 * tab and line ends, U+FFFE and U+FFFF.
 */
const controls = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/gu;

/** Builds markup from a template. Escapes every string that is inserted. */
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

/** Returns a JSON data block, which browsers do not run. Its content cannot end the element. */
export function jsonBlock(id: string, value: unknown): Markup {
  const json = JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
  return { markup: `<script type="application/json" id="${id}">${json}</script>` };
}
