import { createHash } from 'node:crypto';
import { directionOf, type Language } from '../../../domain/languages/languages.ts';
import { html, jsonBlock, nothing, type Markup } from './markup.ts';
import { baseStyle } from './style.ts';

/** A rendered page: its media type, its content and its headers. */
export interface Page {
  readonly type: string;
  readonly content: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PageParts {
  readonly title: string;
  readonly body: Markup;
  /** Default: English. */
  readonly language?: Language;
  /** Rules of this page, after those of every page. */
  readonly style?: string;
  /** A script of the service, with its input as data attributes. */
  readonly script?: { readonly source: string; readonly data: Readonly<Record<string, string>> };
  /** The input of a page that the browser renders again, as JSON. */
  readonly facts?: unknown;
  /**
   * An inline script, so that a saved copy of the page still works. It may start workers from its
   * own code. The policy allows it no connections.
   */
  readonly inline?: string;
  /** Whether the page shows an image of its own origin. */
  readonly hasImage?: boolean;
  /** Whether the page has a form that is sent to its own origin. */
  readonly hasForm?: true;
  /** The page is for display only: it has no script, and its links and forms do nothing. */
  readonly isInert?: true;
  /** Origins that may embed the page in a frame; none by default. */
  readonly framedBy?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Renders a page under the strictest policy that works for it. The style sheet is allowed by its
 * hash. Scripts and calls are limited to the page's own origin, and only where it has a script. All
 * else is denied.
 */
export function pageOf(parts: PageParts): Page {
  const { title, body, style = '', script, facts, inline, headers = {} } = parts;
  const { framedBy = [] } = parts;
  const ancestors = framedBy.length > 0 ? framedBy.join(' ') : "'none'";
  const { language = 'en' } = parts;
  const sheet = baseStyle + style;
  const policy = policyOf(sheet, parts);
  // The element is built without extra white space, which would change the hash of the sheet.
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

/** Makes links open a new window, which a sandboxed page cannot do. */
const newWindow = html`<base target="_blank" />`;

function scriptElement({ source, data }: NonNullable<PageParts['script']>): Markup {
  const attributes = Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`);
  return html`<script type="module" id="script" src="${source}" ${attributes}></script>`;
}

/** Built without extra white space: the policy has the hash of all text between the tags. */
function inlineElement(script: string): Markup {
  if (/<\/script|<!--/i.test(script)) throw new Error('the script would end its element');
  return { markup: `<script>${script}</script>` };
}

/** A saved copy has no headers, so the policy is in the page too. */
const policyElement = (policy: readonly string[]): Markup =>
  html`<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}" />`;

/** The policy without `frame-ancestors`, which a meta element cannot set. */
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
