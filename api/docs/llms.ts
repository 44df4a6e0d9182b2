import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { docsContracts } from './contract.ts';
import { operations } from './operations.ts';

/** A map in the form of llmstxt.org: a title, a sentence, lists of links. */
export const llms = handler(docsContracts.llms)(async (_input, deps: Pick<Deps, 'settings'>) => {
  const { baseUrl } = deps.settings;
  const byTag = [...Map.groupBy(operations(), ({ tag }) => tag)];
  const lines = [
    '# trustcheck',
    '',
    '> Identity verification: a link starts a durable trust check, which ends in a signed ' +
      'affidavit.',
    '',
    'Bodies are JSON in snake_case. Errors are problem+json with a stable `code`; 422 lists every',
    'fault of the request. Creating operations honour Idempotency-Key.',
    '',
    '## Documents',
    '',
    `- [Guide](${baseUrl}/docs/guides/api.md): every step as commands and as TypeScript, Markdown`,
    `- [Signing in](${baseUrl}/docs/guides/signing-in.md): each way to a credential, Markdown`,
    `- [OpenAPI](${baseUrl}/openapi.json): every operation with its schemas, OpenAPI 3.1`,
    `- [AsyncAPI](${baseUrl}/asyncapi.json): sockets, webhooks and every event, AsyncAPI 3.0`,
    `- [Reference](${baseUrl}/docs/reference): the same as pages, with all failure codes`,
    `- [The attest header](${baseUrl}/docs/reference/attest-header): how a phone signs its calls`,
    `- [The DPoP header](${baseUrl}/docs/reference/dpop-header): how a browser signs its calls`,
    `- [The verification bundle](${baseUrl}/docs/reference/verification-bundle): what a person ` +
      'signs in with',
    `- [Reason codes](${baseUrl}/docs/reference/reason-codes): why a check, a proof or an ` +
      'affidavit failed, and what to do',
    ...byTag.flatMap(([tag, rows]) => [
      '',
      `## ${tag}`,
      '',
      ...rows.map(
        ({ id, method, path, summary }) =>
          `- [${method.toUpperCase()} ${path}](${baseUrl}/docs/reference/${tag}#${id}): ${summary}`,
      ),
    ]),
    '',
  ];
  return {
    status: 200,
    type: 'text/plain; charset=utf-8',
    content: lines.join('\n'),
    headers: { 'Cache-Control': 'public, max-age=300' },
  };
});
