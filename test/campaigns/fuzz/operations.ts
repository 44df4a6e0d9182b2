import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as ajvFormats from 'ajv-formats';
import * as refs from '../../../api/docs/document-refs.ts';
import { checkedInDocument } from '../../../api/docs/documents.ts';

/** The schema keywords that the document uses for inputs. */
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

/** The declared answer with one status. */
export interface DeclaredReply {
  /** A validator by media type; empty for an answer without a body. */
  readonly content: ReadonlyMap<string, ValidateFunction>;
  readonly headers: ReadonlySet<string>;
  /** Null for a status that is no refusal with a code. */
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
// No library validates this format, but the server does.
ajv.addFormat('idn-email', true);
ajv.addSchema(document, 'document');

/** Returns a validator for a part of the document. */
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

/** Every operation of the checked-in document, with validators of its answers. */
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

/** Headers that have a meaning only where the document declares them. */
export const namedHeaders: readonly string[] = Object.keys(document.components.headers).map(
  (name) => name.toLowerCase(),
);

/** Returns the schema that a reference points to, or the schema itself. */
export const resolved = (schema: Schema): Schema => refs.resolved(document, schema);
