import { apiVersion, eventTypes } from '../../../workflows/events.ts';
import { objectOfEvent } from '../../events/payloads.ts';
import { handler } from '../../http/contract.ts';
import { html, type Markup } from '../../http/html/markup.ts';
import type { Page } from '../../http/html/page.ts';
import { failureAnswers } from '../../http/problem/failure-answers.ts';
import { docsContracts } from '../contract.ts';
import { operations, schemas, type Operation } from '../operations.ts';
import { documentPage } from '../page.ts';
import { attestSection } from './attest.ts';
import { bundleSection } from './bundle.ts';
import { commandOf } from './command.ts';
import { dpopSection } from './dpop.ts';
import { firstCheck } from './first-check.ts';
import { reasonSection } from './reasons.ts';
import { describedIn, schemaMembers, schemaText } from './schema.ts';
import { paragraphs } from './descriptions.ts';

let page: Page | null = null;

/** The reference: the checked-in document as one page that needs no script. */
export const reference = handler(docsContracts.reference)(async () => {
  page ??= documentPage('API reference', referencePage());
  return { status: 200, ...page };
});

function referencePage(): Markup {
  const byTag = [...Map.groupBy(operations(), ({ tag }) => tag)];
  return html`<main>
    <h1>API reference</h1>
    <p>
      Step by step, with commands and TypeScript: <a href="/docs/api.md">the guide</a>. For
      programs: <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/asyncapi.json">AsyncAPI 3.0</a>,
      <a href="/llms.txt">llms.txt</a>.
    </p>
    ${firstCheck()} ${conventions}
    <nav aria-label="Operations">
      <h2>Operations</h2>
      ${byTag.map(
        ([tag, rows]) =>
          html`<h3>${tag}</h3>
            <ul>
              ${rows.map(({ id, summary }) => html`<li><a href="#${id}">${id}</a> ${summary}</li>`)}
            </ul>`,
      )}
    </nav>
    ${byTag.map(
      ([tag, rows]) =>
        html`<section aria-labelledby="tag-${tag}">
          <h2 id="tag-${tag}">${tag}</h2>
          ${rows.map(operationArticle)}
        </section>`,
    )}
    ${attestSection()} ${dpopSection()} ${bundleSection()} ${schemaSection()} ${eventSection()}
    ${reasonSection()} ${failureSection()}
  </main>`;
}

const conventions = html`<section aria-labelledby="conventions">
  <h2 id="conventions">Conventions</h2>
  <ul>
    <li>Bodies are JSON in snake_case; timestamps are ISO 8601 in UTC.</li>
    <li>
      Unknown body members and query parameters are refused: 422 with the type
      <code>unknown_field</code> and the nearest known name. With
      <code>Prefer: handling=lenient</code> (RFC 7240) they are ignored and named in
      <code>X-Ignored-Fields</code>, separated by commas: nested members as
      <code>outer.inner</code>, special characters and dots of a name percent-encoded; after 20
      names the last item is <code>N more</code>. Pages that people open and endpoints that vendors
      call always ignore them. <code>metadata</code>, <code>custom</code> and
      <code>context</code> take members of any name.
    </li>
    <li>
      Credentials: <code>Authorization: Bearer …</code> with a session token, an API key or the
      check token of one session; an API key may come as <code>X-API-Key</code> instead. Never two
      at once. A phone signs its calls by <a href="#attest">the attest header</a>, a browser that
      runs a check by <a href="#dpop">the DPoP header</a>; a person signs in with
      <a href="#bundle">a verification bundle</a>.
    </li>
    <li>
      Creating operations honour <code>Idempotency-Key</code> for 24 hours, for each caller in each
      account; a repeat carries <code>Idempotent-Replayed: true</code>, and takes the role that the
      call takes. Use a random UUID: where no credential tells you from others behind your address,
      the key does, and has 22 characters or more.
    </li>
    <li>
      A request of the wrong shape is answered 422 with every fault at once; all other errors are
      <code>application/problem+json</code> with a stable <code>code</code>, listed
      <a href="#failures">below</a>. Why a check or a proof came out as it did is its
      <code>reason_code</code>: <a href="#reasons">what each means</a>.
    </li>
    <li>
      The interface has a dated version: <code>Trustcheck-Version: ${apiVersion}</code> stands in
      every answer, and <code>api_version</code> in every event. Send the header to pin the version
      you were written for; one that is not known is 400 <code>unknown_version</code> with those
      that are.
    </li>
    <li>Every answer has a <code>Request-Id</code>; limited ones have <code>RateLimit-*</code>.</li>
  </ul>
</section>`;

function operationArticle(operation: Operation): Markup {
  const { id, method, path, summary, description, parameters, body, responses } = operation;
  return html`<article aria-labelledby="${id}">
    <h3 id="${id}">${summary}</h3>
    <p>
      <code><span class="verb">${method}</span> ${path}</code> · ${credentialsText(operation)}
    </p>
    ${paragraphs(description)} ${parameters.length > 0 ? parameterTable(parameters) : ''}
    ${
      body
        ? html`<h4>Body</h4>
            ${schemaMembers(body)}`
        : ''
    }
    <table>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Answer</th>
        </tr>
      </thead>
      <tbody>
        ${responses.map(
          ({ status, description, codes, schema }) =>
            html`<tr>
              <td>${status}</td>
              <td>
                ${codes.length > 0 ? codes.map(codeLink) : html`${description}`}
                ${schema ? schemaText(schema) : ''}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
    <details>
      <summary>As a command</summary>
      <pre>${commandOf(operation)}</pre>
    </details>
  </article>`;
}

function credentialsText({ credentials, scope }: Operation): string {
  const names: Readonly<Record<string, string>> = {
    apiKey: 'API key',
    session: 'session token',
    checkToken: 'check token',
    webhook: 'what its sender signs or was given',
  };
  if (credentials.length === 0) return 'no credential needed';
  const text = credentials.map((name) => names[name] ?? name).join(' or ');
  return scope === null ? text : `${text} · scope ${scope}`;
}

function parameterTable(parameters: Operation['parameters']): Markup {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Parameter</th>
        <th scope="col">In</th>
        <th scope="col">Form</th>
      </tr>
    </thead>
    <tbody>
      ${parameters.map(
        (parameter) =>
          html`<tr>
            <td><code>${parameter.name}</code>${parameter.required ? '' : ', optional'}</td>
            <td>${parameter.in}</td>
            <td>${schemaText(parameter.schema)}${describedIn(parameter.schema)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function schemaSection(): Markup {
  return html`<section aria-labelledby="schemas">
    <h2 id="schemas">Schemas</h2>
    ${Object.entries(schemas()).map(
      ([name, schema]) =>
        html`<article aria-labelledby="schema-${name}">
          <h3 id="schema-${name}">${name}</h3>
          ${schemaMembers(schema)}
        </article>`,
    )}
  </section>`;
}

function eventSection(): Markup {
  const emitted = eventTypes.filter((type) => objectOfEvent(type) !== null);
  return html`<section aria-labelledby="events">
    <h2 id="events">Types of event</h2>
    <p>
      The same body comes by socket, by webhook and from <code>GET /v2/events</code>; the schemas
      are in <a href="/asyncapi.json">asyncapi.json</a>.
    </p>
    <ul>
      ${emitted.map((type) => html`<li><code>${type}</code></li>`)}
    </ul>
  </section>`;
}

function failureSection(): Markup {
  const rows = Object.entries(failureAnswers).map(
    ([code, { status, title }]) =>
      html`<tr>
        <td>${codeLink(code)}</td>
        <td>${status}</td>
        <td>${title}</td>
      </tr>`,
  );
  return html`<section aria-labelledby="failures">
    <h2 id="failures">Failure codes</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Status</th>
          <th scope="col">Title</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </section>`;
}

function codeLink(code: string): Markup {
  return html`<a href="/docs/errors/${code}"><code>${code}</code></a> `;
}
