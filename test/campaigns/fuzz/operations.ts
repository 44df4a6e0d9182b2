import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as ajvFormats from 'ajv-formats';
import * as refs from '../../../api/docs/document-refs.ts';
import { checkedInDocument } from '../../../api/docs/documents.ts';

/** The keywords the document uses where it describes what is sent. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly not?: unknown;
  readonly propertyNames?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

/** What an answer with a certain status may be. */
export interface DeclaredReply {
  /** A validator by media type; empty where there is no body. */
  readonly content: ReadonlyMap<string, ValidateFunction>;
  readonly headers: ReadonlySet<string>;
  /** Null where the status is no refusal by code. */
  readonly codes: readonly string[] | null;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | null;
  readonly replies: ReadonlyMap<number, DeclaredReply>;
}

interface Media {
  readonly schema: Schema;
}
interface RawOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers?: Readonly<Record<string, unknown>>;
        readonly content?: Readonly<Record<string, Media>>;
        readonly 'x-codes'?: readonly string[];
      }
    >
  >;
}
interface RawDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: { readonly headers: Readonly<Record<string, unknown>> };
}

const document = refs.withOperationsResolved(
  JSON.parse(checkedInDocument('openapi.json')),
) as RawDocument;
const ajv = new Ajv2020({ strict: false, validateSchema: false });
ajvFormats.default.default(ajv);
// No library judges it; the server does.
ajv.addFormat('idn-email', true);
ajv.addSchema(document, 'document');

/** Validates values against a part of the document. */
export const judgeOf = (schema: Schema): ValidateFunction =>
  ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));

const escaped = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1');
const validatorAt = (...steps: readonly string[]): ValidateFunction =>
  ajv.compile({ $ref: `document#/${steps.map(escaped).map(encodeURIComponent).join('/')}` });

function repliesOf(path: string, method: string, { responses }: RawOperation) {
  return new Map(
    Object.entries(responses).map(([status, reply]): [number, DeclaredReply] => [
      Number(status),
      {
        content: new Map(
          Object.keys(reply.content ?? {}).map((type) => [
            type,
            validatorAt('paths', path, method, 'responses', status, 'content', type, 'schema'),
          ]),
        ),
        headers: new Set(Object.keys(reply.headers ?? {}).map((name) => name.toLowerCase())),
        codes: reply['x-codes'] ?? null,
      },
    ]),
  );
}

/** Every operation of the checked-in document, its answers with validators. */
export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(
  ([path, verbs]) =>
    Object.entries(verbs).map(([method, raw]) => ({
      id: raw.operationId,
      method: method.toUpperCase(),
      path,
      parameters: raw.parameters ?? [],
      body: raw.requestBody?.content['application/json']?.schema ?? null,
      replies: repliesOf(path, method, raw),
    })),
);

export const operationOf: ReadonlyMap<string, Operation> = new Map(
  operations.map((operation) => [operation.id, operation]),
);

/** The headers that mean something where the document names them, and nowhere else. */
export const namedHeaders: readonly string[] = Object.keys(document.components.headers).map(
  (name) => name.toLowerCase(),
);

/** Returns the schema that a reference points to, or the schema itself. */
export const resolved = (schema: Schema): Schema => refs.resolved(document, schema);
