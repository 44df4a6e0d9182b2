import { resolved, withOperationsResolved } from './document-refs.ts';
import { checkedInDocument } from './documents.ts';

/** A JSON schema as it stands in the document: only what a reader is shown of it. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly example?: unknown;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly pattern?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<
    Record<string, Content & { readonly description: string; readonly 'x-codes'?: string[] }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Names of the credentials any one of which is enough; empty for a public operation. */
  readonly credentials: readonly string[];
  /** The scope that an API key with scopes needs; null where no key is admitted. */
  readonly scope: string | null;
  readonly parameters: readonly Parameter[];
  /** Whether it reads the `attest` header; null where it does not. */
  readonly attest: 'required' | 'accepted' | null;
  readonly body: Schema | null;
  /** A body the operation takes; null where it takes none. */
  readonly example: unknown;
  readonly responses: readonly {
    readonly status: string;
    readonly description: string;
    readonly codes: readonly string[];
    readonly schema: Schema | null;
  }[];
  /** Every failure code it can answer with. */
  readonly codes: readonly string[];
}

/** What the name of a schema in the document follows. */
export const refPrefix = '#/components/schemas/';

let read: { operations: Operation[]; schemas: Document['components']['schemas'] } | null = null;

/** The operations of the checked-in document, in its order. */
export function operations(): readonly Operation[] {
  return readDocument().operations;
}

/** The named schemas of the checked-in document. */
export function schemas(): Readonly<Record<string, Schema>> {
  return readDocument().schemas;
}

function readDocument() {
  if (read) return read;
  const document = withOperationsResolved(
    JSON.parse(checkedInDocument('openapi.json')),
  ) as Document;
  const found = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const body = operation.requestBody?.content?.['application/json']?.schema ?? null;
      const example = resolved(document, body)?.example ?? null;
      return operationOf({ path, method, body, example }, operation);
    }),
  );
  read = { operations: found, schemas: document.components.schemas };
  return read;
}

function operationOf(
  place: Pick<Operation, 'path' | 'method' | 'body' | 'example'>,
  operation: OperationObject,
): Operation {
  const responses = Object.entries(operation.responses).map(([status, response]) => ({
    status,
    description: response.description,
    codes: response['x-codes'] ?? [],
    schema: response.content?.['application/json']?.schema ?? null,
  }));
  return {
    ...place,
    id: operation.operationId,
    tag: operation.tags[0] ?? '',
    summary: operation.summary,
    description: operation.description ?? '',
    credentials: operation.security.flatMap((kind) => Object.keys(kind)),
    scope: operation.security.flatMap(({ apiKey = [] }) => apiKey)[0] ?? null,
    parameters: operation.parameters ?? [],
    attest: attestOf(operation),
    responses,
    codes: responses.flatMap(({ codes }) => codes),
  };
}

function attestOf({ parameters = [] }: OperationObject): Operation['attest'] {
  const header = parameters.find(({ name, in: place }) => place === 'header' && name === 'attest');
  if (!header) return null;
  return header.required ? 'required' : 'accepted';
}
