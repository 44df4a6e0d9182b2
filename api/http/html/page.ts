import { createHash } from 'node:crypto';
import { directionOf, type Language } from '../../../domain/languages/languages.ts';
import { html, jsonBlock, nothing, type Markup } from './markup.ts';
import { baseStyle } from './style.ts';

/** A rendered answer: its media type, its content and its headers. */
export interface Page {
  readonly type: string;
  readonly content: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PageParts {
  readonly title: string;
  readonly body: Markup;
  /** English where it is left out. */
  readonly language?: Language;
  /** Rules of this page alone, after those of every page. */
  readonly style?: string;
  /** A script of our own, with what it is told as data attributes. */
  readonly script?: { readonly source: string; readonly data: Readonly<Record<string, string>> };
  /** What a page that is rendered again in the browser was rendered from, as JSON. */
  readonly facts?: unknown;
  /**
   * A script that stands in the page itself, which then works wherever it was saved to, may start
   * workers made of its own parts, and connects to nobody.
   */
  readonly inline?: string;
  /** Whether it shows an image of our own origin. */
  readonly hasImage?: boolean;
  /** Whether it has a form that is sent to our own origin. */
  readonly hasForm?: true;
  /** The page only displays: it has no script, and its links and forms do nothing. */
  readonly isInert?: true;
  /** Origins of the pages that may display it in a frame; none where it is left out. */
  readonly framedBy?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A whole page under the strictest policy it can live with: one style sheet named by its hash,
 * scripts and calls of our own origin where it has a script, nothing from anywhere else.
 */
export function pageOf(parts: PageParts): Page {
  const { title, body, style = '', script, facts, inline, headers = {} } = parts;
  const { framedBy = [] } = parts;
  const ancestors = framedBy.length > 0 ? framedBy.join(' ') : "'none'";
  const { language = 'en' } = parts;
  const sheet = baseStyle + style;
  const policy = policyOf(sheet, parts);
  // The element is built in one piece: space around the sheet would change its hash.
  const styleElement: Markup = { markup: `<style>${sheet}</style>` };
  const { markup } = html`<!doctype html>
    <html lang="${language}" dir="${directionOf(language)}">
      <head>
        <meta charset="utf-8" />
        ${inline === undefined ? nothing : policyElement(policy)}
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${parts.isInert ? newWindow : nothing}
        <link rel="icon" href="data:," />
        <title>${title}</title>
        ${styleElement} ${script ? scriptElement(script) : nothing}
      </head>
      <body>
        ${body} ${facts === undefined ? nothing : jsonBlock('facts', facts)}
        ${inline === undefined ? nothing : inlineElement(inline)}
      </body>
    </html> `;
  return {
    type: 'text/html; charset=utf-8',
    content: markup,
    headers: {
      'Content-Security-Policy': [...policy, `frame-ancestors ${ancestors}`].join('; '),
      ...headers,
    },
  };
}

/** Links ask for another window, which a sandboxed page cannot open. */
const newWindow = html`<base target="_blank" />`;

function scriptElement({ source, data }: NonNullable<PageParts['script']>): Markup {
  const attributes = Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`);
  return html`<script type="module" id="script" src="${source}" ${attributes}></script>`;
}

/** In one piece, as the hash in the policy is of all that stands between the tags. */
function inlineElement(script: string): Markup {
  if (/<\/script|<!--/i.test(script)) throw new Error('the script would end its element');
  return { markup: `<script>${script}</script>` };
}

/** A copy on a disk has no headers. */
const policyElement = (policy: readonly string[]): Markup =>
  html`<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}" />`;

/** All but who may frame it, which a page cannot say of itself. */
function policyOf(sheet: string, parts: PageParts): string[] {
  const { script, facts, inline, hasImage, hasForm, isInert } = parts;
  const images = [
    'data:',
    // Pictures that a person has just taken are shown from memory.
    ...(facts === undefined ? [] : ['blob:']),
    ...(hasImage === true ? ["'self'"] : []),
  ];
  return [
    "default-src 'none'",
    `style-src '${hashOf(sheet)}'`,
    `img-src ${images.join(' ')}`,
    ...(script ? ["script-src 'self'", "connect-src 'self'"] : []),
    ...(facts === undefined ? [] : ["worker-src 'self'"]),
    ...(inline === undefined
      ? []
      : [`script-src '${hashOf(inline)}'`, 'worker-src blob:', "connect-src 'none'"]),
    "base-uri 'none'",
    `form-action ${hasForm ? "'self'" : "'none'"}`,
    ...(isInert ? ['sandbox'] : []),
  ];
}

const hashOf = (text: string): string =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`;
