import { Failure, type FailureCode, isFailureCode } from '../../workflows/failures.ts';
import { handler } from '../http/contract.ts';
import { html } from '../http/html/markup.ts';
import { failureAnswers } from '../http/problem/failure-answers.ts';
import { advice } from './advice/advice.ts';
import { docsContracts } from './contract.ts';
import { operations, type Operation } from './operations.ts';
import { documentPage } from './site/page.ts';

/** The page that the `type` of a problem points to. */
export const failure = handler(docsContracts.failure)(async (input) => {
  const { code } = input.path;
  if (!isFailureCode(code)) throw new Failure('not_found');
  return { status: 200, ...failurePage(code) };
});

function failurePage(code: FailureCode) {
  const { status, title } = failureAnswers[code];
  const { when, remedy } = advice[code];
  const answering = operations().filter(({ codes }) => codes.includes(code));
  return documentPage({
    title: `${code}: ${title}`,
    path: 'reference/failure-codes',
    body: html`<main>
      <h1>${title}</h1>
      <dl>
        <dt>Code</dt>
        <dd><code>${code}</code></dd>
        <dt>HTTP status</dt>
        <dd>${status}</dd>
        <dt>When it happens</dt>
        <dd>${when}</dd>
        <dt>What to do</dt>
        <dd>${remedy}</dd>
      </dl>
      <h2>Operations that answer with it</h2>
      ${
        answering.length > 0
          ? html`<ul>
              ${answering.map(entry)}
            </ul>`
          : html`<p>None directly: it can come of any.</p>`
      }
    </main>`,
  });
}

function entry({ id, tag, method, path }: Operation) {
  return html`<li>
    <a href="/docs/reference/${tag}#${id}"
      ><code><span class="verb">${method}</span> ${path}</code></a
    >
  </li>`;
}
