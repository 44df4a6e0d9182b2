import type { Markup } from '../http/html/markup.ts';
import { type Page, pageOf } from '../http/html/page.ts';

/** A page of the documents: no script, and kept for five minutes by whoever read it. */
export function documentPage(title: string, body: Markup): Page {
  return pageOf({ title, body, style, headers: { 'Cache-Control': 'public, max-age=300' } });
}

const style = `
body{background:var(--sheet)}
main{max-width:64rem}
h1{font-size:1.75rem}
h2{font-size:1.4rem;margin:2.5rem 0 .75rem;border-block-end:.0625rem solid var(--line)}
h3{font-size:1.1rem;margin:1rem 0 .25rem}
article{border-block-start:.0625rem solid var(--line);padding:.5rem 0 1rem}
table{border-collapse:collapse;inline-size:100%;margin:.5rem 0}
th,td{text-align:start;overflow-wrap:anywhere;vertical-align:top;padding:.25rem .75rem .25rem 0;
  border-block-end:.0625rem solid var(--line)}
nav ul{columns:20rem;list-style:none;padding:0}
nav li,td{line-height:1.75}
.verb{text-transform:uppercase;font-weight:700}
dt{font-weight:600}dd{margin:0 0 .5rem}
`;
