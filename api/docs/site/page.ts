import { html, nothing, type Markup } from '../../http/html/markup.ts';
import { type Page, pageOf } from '../../http/html/page.ts';
import { operations } from '../operations.ts';
import { documents } from './pages.ts';

interface DocumentPageParts {
  readonly title: string;
  /** The address below `/docs/`; the sidebar marks it. */
  readonly path: string;
  readonly body: Markup;
  /** Words of a search, shown in its field. */
  readonly query?: string;
}

/** A page of the documents with sidebar and search. It has no script; caches keep it 5 minutes. */
export function documentPage({ title, path, body, query = '' }: DocumentPageParts): Page {
  return pageOf({
    title: `${title} · trustcheck docs`,
    body: html`<a class="skip" href="#content">Skip to the content</a> ${header(query)}
      <div class="columns">
        ${sidebar(path)}
        <div id="content">${withoutIndentation(body)}</div>
      </div>`,
    style,
    hasForm: true,
    headers: { 'Cache-Control': 'public, max-age=300' },
  });
}

/** The markup without space at the start of its lines, which is a third of a page of tables. */
function withoutIndentation({ markup }: Markup): Markup {
  const parts = markup.split(/(<pre>[^]*?<\/pre>)/);
  return {
    markup: parts
      .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/\n\s+/g, '\n')))
      .join(''),
  };
}

function header(query: string): Markup {
  return html`<header>
    <a class="home" href="/docs">trustcheck docs</a>
    <form role="search" action="/docs/search">
      <input type="search" name="q" aria-label="Search" value="${query}" maxlength="200" />
      <button type="submit">Search</button>
    </form>
    <a class="to-pages" href="#pages">All pages</a>
  </header>`;
}

/** The list of all pages. On a narrow screen it stands below the page. */
function sidebar(path: string): Markup {
  const item = (target: string, title: string): Markup =>
    html`<li>
      <a href="/docs/${target}" ${target === path ? html`aria-current="page"` : nothing}
        >${title}</a
      >
    </li>`;
  const group = (title: string, items: readonly Markup[], more: Markup = nothing): Markup =>
    html`<h2>${title}</h2>
      <ul>
        ${items}
      </ul>
      ${more}`;
  const groups = documents().groups.map(({ title, pages }) =>
    group(
      title,
      pages.map((page) => item(page.path, page.title)),
    ),
  );
  const families = [...new Set(operations().map(({ tag }) => tag))];
  const isFamily = families.some((tag) => `reference/${tag}` === path);
  const operationList = html`<details ${isFamily ? html`open` : nothing}>
    <summary>Operations</summary>
    <ul>
      ${families.map((tag) => item(`reference/${tag}`, tag))}
    </ul>
  </details>`;
  const reference = group(
    'API reference',
    referencePages.map(([name, title]) => item(name, title)),
    operationList,
  );
  return html`<nav id="pages" aria-label="Documents">
    ${groups.slice(0, 2)} ${reference} ${groups.slice(2)}
  </nav>`;
}

/** Pages of the reference beside those of the operations. */
const referencePages = [
  ['reference', 'Overview'],
  ['reference/attest-header', 'The attest header'],
  ['reference/dpop-header', 'The DPoP header'],
  ['reference/verification-bundle', 'Verification bundle'],
  ['reference/event-types', 'Event types'],
  ['reference/reason-codes', 'Reason codes'],
  ['reference/failure-codes', 'Failure codes'],
  ['reference/schemas', 'Schemas'],
] as const;

const style = `
body{background:var(--sheet)}
.skip{position:absolute;inset-inline-start:-100vw}
.skip:focus{position:static}
header{display:flex;flex-wrap:wrap;gap:var(--space-3);align-items:center;
  justify-content:space-between;padding:var(--space-3) var(--space-4);
  border-block-end:.0625rem solid var(--line)}
.home{font-weight:700;color:inherit;text-decoration:none}
header form{display:flex;gap:var(--space-2);align-items:center}
header input{inline-size:min(18rem,45vw);margin:0}
header button{padding-inline:var(--space-4)}
.columns{display:grid;grid-template-columns:17rem minmax(0,1fr);max-inline-size:82rem;margin:auto}
nav#pages{padding:var(--space-4);font-size:var(--text-small);line-height:1.9}
nav#pages h2{font-size:inherit;margin:var(--space-4) 0 0;border:0}
nav#pages ul{list-style:none;margin:0;padding:0}
nav#pages a{color:inherit;text-decoration:none}
nav#pages a:hover{text-decoration:underline}
nav#pages a[aria-current]{font-weight:700;color:var(--accent)}
nav#pages summary{padding-block:var(--space-1)}
nav#pages details ul{padding-inline-start:var(--space-4)}
.to-pages{display:none}
@media (max-width:55rem){
  .columns{grid-template-columns:minmax(0,1fr)}
  #content{order:-1}
  .to-pages{display:inline}
}
code{background:var(--ground);border-radius:.25rem;padding:.1em .25em}
pre code{padding:0}
main{max-width:56rem;margin:0}
h1{font-size:1.75rem}
h2{font-size:1.4rem;margin:2.5rem 0 .75rem;border-block-end:.0625rem solid var(--line)}
h3{font-size:1.1rem;margin:1.5rem 0 .25rem}
.anchor{font-weight:400;text-decoration:none;color:var(--soft)}
article{border-block-start:.0625rem solid var(--line);padding:.5rem 0 1rem}
table{border-collapse:collapse;inline-size:100%;margin:.5rem 0 1rem}
th,td{text-align:start;overflow-wrap:anywhere;vertical-align:top;padding:.25rem .75rem .25rem 0;
  border-block-end:.0625rem solid var(--line)}
main nav ul{columns:20rem;list-style:none;padding:0}
main li,td{line-height:1.75}
.results p{color:var(--soft)}
.verb{text-transform:uppercase;font-weight:700}
dt{font-weight:600}dd{margin:0 0 .5rem}
`;
