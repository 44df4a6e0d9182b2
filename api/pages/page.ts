import { createHash } from 'node:crypto';
import type { Page } from '../pages.ts';
import { html, nothing, type Markup } from './markup.ts';
import { baseStyle } from './style.ts';

export interface PageParts {
  readonly title: string;
  readonly body: Markup;
  /** Rules of this page alone, after those of every page. */
  readonly style?: string;
  /** A script of our own, with what it is told as data attributes. */
  readonly script?: { readonly source: string; readonly data: Readonly<Record<string, string>> };
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A whole page under the strictest policy it can live with: one style sheet named by its hash,
 * scripts and calls of our own origin where it has a script, nothing from anywhere else.
 */
export function pageOf({ title, body, style = '', script, headers = {} }: PageParts): Page {
  const sheet = baseStyle + style;
  // The element is built in one piece: space around the sheet would change its hash.
  const styleElement: Markup = { markup: `<style>${sheet}</style>` };
  const { markup } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        <title>${title}</title>
        ${styleElement} ${script ? scriptElement(script) : nothing}
      </head>
      <body>
        ${body}
      </body>
    </html> `;
  return {
    type: 'text/html; charset=utf-8',
    content: markup,
    headers: { 'Content-Security-Policy': policyOf(sheet, script !== undefined), ...headers },
  };
}

function scriptElement({ source, data }: NonNullable<PageParts['script']>): Markup {
  const attributes = Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`);
  return html`<script type="module" id="script" src="${source}" ${attributes}></script>`;
}

function policyOf(sheet: string, hasScript: boolean): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(sheet).digest('base64')}'`,
    'img-src data:',
    ...(hasScript ? ["script-src 'self'", "connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
