import { createHash } from 'node:crypto';
import { encode } from 'html-entities';

/** Markup that is known to be escaped; a plain string never is. */
export interface Markup {
  readonly markup: string;
}

type Part = Markup | string | number | readonly Markup[];

/** Builds markup from a template; every string put into it is escaped. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const markup = strings.reduce(
    (text, string, index) => text + textOf(parts[index - 1] ?? '') + string,
  );
  return { markup };
}

function textOf(part: Part): string {
  if (typeof part === 'string' || typeof part === 'number') return encode(String(part));
  if ('markup' in part) return part.markup;
  return part.map(({ markup }) => markup).join('');
}

/** A whole page: one style sheet named by its hash, no script, nothing from anywhere else. */
export function pageOf(title: string, body: Markup) {
  const { markup } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <link rel="icon" href="data:," />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${{ markup: style }}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html> `;
  return {
    type: 'text/html; charset=utf-8',
    content: markup,
    headers: { 'Content-Security-Policy': policy, 'Cache-Control': 'public, max-age=300' },
  };
}

const style = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif;--line:#8886;--soft:#8882}
body{margin:0 auto;max-width:64rem;padding:1rem}
a{color:LinkText}
code,pre{font:.875rem/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
pre{background:var(--soft);padding:.75rem;border-radius:.5rem;white-space:pre-wrap}
h1{font-size:1.75rem}h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}h3{font-size:1.1rem;margin-bottom:.25rem}
article{border-top:1px solid var(--line);padding:.5rem 0 1rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0}
th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--line)}
nav ul{columns:20rem;list-style:none;padding:0}
summary{cursor:pointer;font-weight:600;min-height:1.75rem}
.verb{text-transform:uppercase;font-weight:700}
dt{font-weight:600}dd{margin:0 0 .5rem}`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
