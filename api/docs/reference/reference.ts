import { apiVersion, eventTypes } from '../../../workflows/events.ts';
import { Failure } from '../../../workflows/failures.ts';
import { objectOfEvent } from '../../events/payloads.ts';
import { handler } from '../../http/contract.ts';
import { html, type Markup } from '../../http/html/markup.ts';
import type { Page } from '../../http/html/page.ts';
import { failureAnswers } from '../../http/problem/failure-answers.ts';
import { docsContracts } from '../contract.ts';
import { operations, schemas, type Operation } from '../operations.ts';
import { documentPage } from '../site/page.ts';
import { attestSection } from './attest.ts';
import { bundleSection } from './bundle.ts';
import { commandOf } from './command.ts';
import { dpopSection } from './dpop.ts';
import { firstCheck } from './first-check.ts';
import { reasonSection } from './reasons.ts';
import { describedIn, schemaMembers, schemaPrefix, schemaText } from './schema.ts';
import { paragraphs } from './descriptions.ts';

const rendered = new Map<string, Page>();

/** The overview of the reference: conventions, and every operation by its family. */
export const reference = handler(docsContracts.reference)(async () => answer('overview'));

/** One part of the reference: the operations of a family, a schema, or a table of codes. */
export const referencePage = handler(docsContracts.referencePage)(async ({ path }) =>
  answer(path.name),
);

function answer(name: string) {
  const known = rendered.get(name);
  if (known) return { status: 200, ...known } as const;
  const part = partOf(name);
  if (!part) throw new Failure('not_found');
  const path = name === 'overview' ? 'reference' : `reference/${name}`;
  const page = documentPage({ ...part, path, body: html`<main>${part.body}</main>` });
  rendered.set(name, page);
  return { status: 200, ...page } as const;
}

interface Part {
  readonly title: string;
  readonly body: Markup;
}

const parts: Readonly<Record<string, readonly [title: string, body: () => Markup]>> = {
  overview: ['API reference', overview],
  'attest-header': ['The attest header', attestSection],
  'dpop-header': ['The DPoP header', dpopSection],
  'verification-bundle': ['The verification bundle', bundleSection],
  'event-types': ['Event types', eventSection],
  'reason-codes': ['Reason codes', reasonSection],
  'failure-codes': ['Failure codes', failureSection],
  schemas: ['Schemas', schemaList],
};

function partOf(name: string): Part | null {
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (part) return { title: part[0], body: part[1]() };
  const rows = operations().filter(({ tag }) => tag === name);
  if (rows.length > 0) return { title: `${name}: operations`, body: familySection(name, rows) };
  const schemaName = name.startsWith(schemaPrefix) ? name.slice(schemaPrefix.length) : '';
  const named = schemas();
  const schema = Object.hasOwn(named, schemaName) ? named[schemaName] : undefined;
  if (!schema) return null;
  return {
    title: schemaName,
    body: html`<h1>${schemaName}</h1>
      ${schemaMembers(schema)}`,
  };
}

function overview(): Markup {
  const byTag = [...Map.groupBy(operations(), ({ tag }) => tag)];
  return html`<h1>API reference</h1>
    <p>
      <a href="/docs/guides/api">The API guide</a> shows each step with commands and TypeScript. For
      programs: <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/asyncapi.json">AsyncAPI 3.0</a>,
      <a href="/llms.txt">llms.txt</a>.
    </p>
    ${firstCheck()} ${conventions}
    <nav aria-label="Operations">
      <h2>Operations</h2>
      ${byTag.map(
        ([tag, rows]) =>
          html`<h3><a href="/docs/reference/${tag}">${tag}</a></h3>
            <ul>
              ${rows.map(
                ({ id, summary }) =>
                  html`<li><a href="/docs/reference/${tag}#${id}">${id}</a> ${summary}</li>`,
              )}
            </ul>`,
      )}
    </nav>`;
}

function familySection(tag: string, rows: readonly Operation[]): Markup {
  return html`<h1>${tag}</h1>
    <ul>
      ${rows.map(({ id, summary }) => html`<li><a href="#${id}">${id}</a> ${summary}</li>`)}
    </ul>
    ${rows.map(operationArticle)}`;
}

const conventions = html`<section aria-labelledby="conventions">
  <h2 id="conventions">Conventions</h2>
  <ul>
    <li>Bodies are JSON in snake_case; timestamps are ISO 8601 in UTC.</li>
    <li>
      Unknown body members and query parameters are refused: 422 with the type
      <code>unknown_field</code> and the nearest known name. With
      <code>Prefer: handling=lenient</code> (RFC 7240) they are ignored, and
      <code>X-Ignored-Fields</code> names them, separated by commas: nested members as
      <code>outer.inner</code>, special characters and dots of a name percent-encoded. After 20
      names the last item is <code>N more</code>. Pages that people open and endpoints that vendors
      call always ignore them. <code>metadata</code>, <code>custom</code> and
      <code>context</code> accept members of any name.
    </li>
    <li>
      Credentials: <code>Authorization: Bearer …</code> with a session token, an API key or the
      check token of one session. You can send an API key as <code>X-API-Key</code> instead, but
      never both. A phone signs its calls with
      <a href="/docs/reference/attest-header">the attest header</a>, a browser that runs a check
      with <a href="/docs/reference/dpop-header">the DPoP header</a>; a person signs in with
      <a href="/docs/reference/verification-bundle">a verification bundle</a>.
    </li>
    <li>
      Operations that create something accept <code>Idempotency-Key</code>. A key is valid for 24
      hours, for each caller in each account. The response to a repeat has
      <code>Idempotent-Replayed: true</code>; a repeat needs the same role as the call. Use a random
      UUID. Without a credential, the key needs at least 22 characters, because only the key tells
      you from other callers at your address.
    </li>
    <li>
      A request of the wrong shape gets 422 with every fault at once. All other errors are
      <code>application/problem+json</code> with a stable <code>code</code>, listed in
      <a href="/docs/reference/failure-codes">a table</a>. The <code>reason_code</code> of a check
      or proof explains its result: <a href="/docs/reference/reason-codes">all reason codes</a>.
    </li>
    <li>
      The interface has a dated version. Every response has
      <code>Trustcheck-Version: ${apiVersion}</code>, and every event has <code>api_version</code>.
      Send the header to pin the version that your program was written for. An unknown version gets
      400 <code>unknown_version</code> with the known versions.
    </li>
    <li>
      Every response has a <code>Request-Id</code>. Operations with a rate limit also return
      <code>RateLimit-*</code>.
    </li>
  </ul>
</section>`;

function operationArticle(operation: Operation): Markup {
  const { id, method, path, summary, description, parameters, body, responses } = operation;
  return html`<article aria-labelledby="${id}">
    <h2 id="${id}">${summary}</h2>
    <p>
      <code><span class="verb">${method}</span> ${path}</code> · ${credentialsText(operation)}
    </p>
    ${paragraphs(description)} ${parameters.length > 0 ? parameterTable(parameters) : ''}
    ${
      body
        ? html`<h3>Body</h3>
            ${schemaMembers(body)}`
        : ''
    }
    <table>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Response</th>
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
    webhook: 'signature or token of the sender',
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

function schemaList(): Markup {
  return html`<h1>Schemas</h1>
    <ul>
      ${Object.keys(schemas()).map(
        (name) => html`<li><a href="/docs/reference/${schemaPrefix}${name}">${name}</a></li>`,
      )}
    </ul>`;
}

function eventSection(): Markup {
  const emitted = eventTypes.filter((type) => objectOfEvent(type) !== null);
  return html`<section aria-labelledby="events">
    <h1 id="events">Event types</h1>
    <p>
      Sockets, webhooks and <code>GET /v2/events</code> carry the same body. Its schemas are in
      <a href="/asyncapi.json">asyncapi.json</a>.
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
    <h1 id="failures">Failure codes</h1>
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
