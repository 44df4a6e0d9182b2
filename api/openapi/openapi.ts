import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { families } from '../families.ts';
import type { AuthKind } from '../http/auth/access-rules.ts';
import { keyScopeOf } from '../http/auth/scopes.ts';
import type { Contract, Reply } from '../http/contract.ts';
import { errorsOf } from '../http/implied-errors.ts';
import { answerHeaders, answerHeadersOf, requestHeadersOf } from '../http/openapi-headers.ts';
import { refusesUnknownFields, takesParameters } from '../http/parse/parse.ts';
import { failureAnswers } from '../http/problem/failure-answers.ts';
import { signatureHeader } from '../mail/contract.ts';
import { closeBodies } from './openapi-bodies.ts';
import { shareParts } from './openapi-components.ts';

const problem = z
  .object({
    type: z.string().describe('Page of the failure code'),
    title: z.string().describe('Title of the failure code'),
    status: z.int().describe('The HTTP status'),
    detail: z.string().optional().describe('Details of this case that the title lacks'),
    code: z.string().describe('Stable failure code, for programs'),
    request_id: z.string().describe('ID of the request in the log'),
  })
  .meta({ id: 'Problem' });
const validationError = z
  .object({
    detail: z.array(
      z.object({
        loc: z
          .array(z.union([z.string(), z.int()]))
          .describe('Part of the request, then the path of the member'),
        msg: z.string().describe('Problem in words, for people'),
        type: z.string().describe('Type of the problem, for programs'),
      }),
    ),
  })
  .meta({ id: 'HTTPValidationError' });

const securityOf: Readonly<Record<Exclude<AuthKind, 'key'>, Record<string, string[]>>> = {
  public: {},
  session: { session: [] },
  'check-token': { checkToken: [] },
  'join-token': { joinToken: [] },
  'cookie-nonce': { calendarCookie: [] },
  webhook: { webhook: [] },
  operator: { operator: [] },
};

/** An API key in either header, with the scope that a limited one needs, or a session. */
function keySecurityOf(contract: Contract): Record<string, string[]>[] {
  const scope = keyScopeOf(contract);
  const needed = scope === null ? [] : [scope];
  return [{ apiKey: needed }, { session: [] }, { apiKeyHeader: needed }];
}

/** Returns the OpenAPI 3.1 document of the whole API, from the contracts that the routes use. */
export function openApiDocument(): Record<string, unknown> {
  const registry = new OpenAPIRegistry();
  const bearer = { type: 'http', scheme: 'bearer' } as const;
  registry.registerComponent('securitySchemes', 'session', bearer);
  registry.registerComponent('securitySchemes', 'apiKey', bearer);
  registry.registerComponent('securitySchemes', 'checkToken', bearer);
  registry.registerComponent('securitySchemes', 'joinToken', bearer);
  registry.registerComponent('securitySchemes', 'calendarCookie', {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-trustcheck-calendar',
  });
  registry.registerComponent('securitySchemes', 'apiKeyHeader', {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
  });
  registry.registerComponent('securitySchemes', 'webhook', {
    type: 'apiKey',
    in: 'header',
    name: signatureHeader,
    description:
      'Signature of the mail provider over time and body. Conference platform B ' +
      'authenticates by the `clientState` in the body of each notification, its bot by a ' +
      'bearer token of the platform.',
  });
  registry.registerComponent('securitySchemes', 'operator', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Operator-Token',
    description: 'For operators of the service, to read the data of its workflows',
  });
  for (const [name, header] of Object.entries(answerHeaders)) {
    registry.registerComponent('headers', name, header);
  }
  for (const { name, routes } of families) {
    for (const { contract } of routes) if (!contract.hidden) register(registry, name, contract);
  }
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    // The published API fixes 1.0.1. Callers pin the dated version (decision 005).
    info: { title: 'trustcheck', version: '1.0.1', license: { name: 'Apache-2.0' } },
    servers: [{ url: '/' }],
  });
  const plain = JSON.parse(JSON.stringify(document), withoutFlags);
  const contracts = families.flatMap(({ routes }) => routes.map(({ contract }) => contract));
  closeBodies(plain, new Set(contracts.filter(refusesUnknownFields).map(({ id }) => id)));
  shareParts(plain);
  return plain;
}

/** Removes the flags that the generator leaves in a pattern; JSON Schema always implies `u`. */
function withoutFlags(name: string, value: unknown): unknown {
  return name === 'pattern' && typeof value === 'string' ? value.replace(/\/[a-z]+$/, '') : value;
}

function register(registry: OpenAPIRegistry, tag: string, contract: Contract): void {
  const { path, query, body, rawBytesMax } = contract.request;
  registry.registerPath({
    method: contract.method,
    path: contract.path.replaceAll('*}', '}'),
    operationId: contract.id,
    summary: contract.summary,
    ...(contract.description ? { description: contract.description } : {}),
    tags: [tag],
    security: contract.auth.flatMap((kind) =>
      kind === 'key' ? keySecurityOf(contract) : [securityOf[kind]],
    ),
    request: {
      ...(path ? { params: path } : {}),
      ...(query ? { query } : {}),
      headers: requestHeadersOf(contract),
      ...(body ? { body: bodyOf(body) } : {}),
      ...(rawBytesMax === undefined ? {} : { body: bytesOf(rawBytesMax) }),
    },
    responses: responsesOf(contract),
  });
}

/** Raw bytes of any media type. */
const bytesOf = (bytesMax: number) => ({
  required: true,
  description: `At most ${bytesMax} bytes`,
  content: {
    'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) },
  },
});

/** Always sets `required`: without it, the body would be optional. */
const bodyOf = (schema: z.ZodType) => ({
  required: !schema.safeParse(undefined).success,
  content: { 'application/json': { schema } },
});

interface ResponseObject {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema: z.ZodType }>;
  /** The failure codes of this status; each has a page under /docs/errors. */
  'x-codes'?: string[];
}

function headersOf(contract: Contract, status: number): Pick<ResponseObject, 'headers'> {
  const names = answerHeadersOf(contract, status);
  return {
    headers: Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
  };
}

function responsesOf(contract: Contract): Record<string, ResponseObject> {
  const responses: Record<string, ResponseObject> = {};
  for (const [status, reply] of Object.entries(contract.replies)) {
    const content = contentOf(reply);
    responses[status] = {
      description: reply.description,
      ...headersOf(contract, Number(status)),
      ...(content ? { content } : {}),
    };
  }
  const byStatus = Map.groupBy(errorsOf(contract), (code) => failureAnswers[code].status);
  for (const [status, codes] of byStatus) {
    // `x-codes` has the codes in the same order.
    const described = codes.map((code) => failureAnswers[code].title).join('; ');
    // The calendar callback also answers 400 with a page of its own.
    const page = responses[status];
    responses[status] = {
      description: page ? `${page.description}; ${described}` : described,
      ...headersOf(contract, status),
      content: {
        ...page?.content,
        'application/problem+json': { schema: problem },
        // A browser that opened the address gets a page.
        ...(contract.method === 'get' ? { 'text/html': { schema: z.string() } } : {}),
      },
      'x-codes': codes,
    };
  }
  // The HTTP parser answers before any operation.
  responses[431] = {
    description: failureAnswers.headers_too_large.title,
    headers: { 'Request-Id': { $ref: '#/components/headers/Request-Id' } },
    content: { 'application/problem+json': { schema: problem } },
    'x-codes': ['headers_too_large'],
  };
  if (byStatus.has(422) || takesParameters(contract.request)) {
    const named = responses[422]?.description;
    responses[422] = {
      ...responses[422],
      description: `The request does not have the declared shape${named ? `; ${named}` : ''}`,
      ...headersOf(contract, 422),
      content: { 'application/json': { schema: validationError } },
    };
  }
  return responses;
}

function contentOf(reply: Reply): Record<string, { schema: z.ZodType }> | null {
  if (reply.kind === 'redirect' || reply.kind === 'empty') return null;
  if (reply.kind === 'json') return { 'application/json': { schema: reply.schema } };
  return Object.fromEntries(
    reply.types.map((type) => [
      type,
      {
        schema: schemaOf(reply, type),
      },
    ]),
  );
}

/** Returns the schema of a page: text, or for JSON its own schema or any object. */
function schemaOf(reply: Reply, type: string): z.ZodType {
  if (!/[/+]json$/.test(type)) return z.string();
  const schema = reply.kind === 'page' ? reply.schema : undefined;
  return schema ?? z.record(z.string(), z.unknown());
}
