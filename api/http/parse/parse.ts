import type { Request, Response } from 'express';
import { z } from 'zod';
import { Failure } from '../../../workflows/failures.ts';
import type { Contract, RequestShape } from '../contract.ts';
import { parseJson } from '../json.ts';
import { faultsOf, InvalidRequest, type ValidationFault } from '../problem/problem.ts';
import type { ReadBody } from './body.ts';
import { bracketed, isBracketed, type GivenQuery } from './bracketed-query.ts';
import { requestMessageOf } from './validation-messages.ts';
import { prefersLenient } from './prefer.ts';
import {
  ignoredFieldsHeader,
  unknownFieldFaults,
  unknownFields,
  type UnknownField,
} from './unknown-fields.ts';

const parametersMax = 100;

interface ParsedRequest {
  path: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
}

/**
 * Parses path, query, headers and body separately and reports all faults of the four at once.
 * Unknown query parameters and body members are faults, at any depth. Where the contract or the
 * caller allows them, they are ignored and listed in `X-Ignored-Fields` (docs/decisions/005).
 */
export function parseRequest(
  contract: Contract,
  request: Request,
  body: ReadBody,
  response: Response,
): ParsedRequest {
  const shape = contract.request;
  if (takesParameters(shape)) {
    refuseNul(request.originalUrl);
    refuseMany(request.originalUrl);
  }
  const faults: ValidationFault[] = [];
  const isLenient = takesUnknownFields(contract, request, response);
  const ignored: UnknownField[] = [];
  const judge = (part: string, unknown: readonly UnknownField[]): void => {
    if (isLenient) ignored.push(...unknown);
    else faults.push(...unknownFieldFaults(part, unknown));
  };
  const take = (part: string, schema: z.ZodType | undefined, value: () => unknown): unknown => {
    if (!schema) return undefined;
    const parsed = schema.safeParse(value(), { error: requestMessageOf });
    if (parsed.success) return parsed.data;
    faults.push(...faultsOf(part, parsed.error));
    return undefined;
  };
  const path = take('path', shape.path, () => joined(request.params));
  // The getter parses the query at each read, so it is read once.
  const given = request.url.includes('?') ? bracketed(request.query, shape.query) : {};
  const unknown = unknownFields(shape.query ?? nothing, given);
  judge('query', unknown);
  const known = Object.keys(shape.query?.shape ?? {});
  const query = take('query', shape.query, () => singles(given, known, faults));
  const headers = take('header', shape.headers, () => headersOf(shape.headers, request));
  if (contract.attest === 'required' && request.get('attest') === undefined) {
    faults.push({ loc: ['header', 'attest'], msg: 'Field required', type: 'missing' });
  }
  let parsedBody: unknown;
  if (shape.rawBytesMax !== undefined) parsedBody = body.bytes;
  else if (shape.body) {
    const read = bodyValue(body);
    if ('faults' in read) faults.push(...read.faults);
    else {
      judge('body', unknownFields(shape.body, read.value));
      parsedBody = take('body', shape.body, () => read.value);
    }
  }
  if (ignored.length > 0) response.setHeader('X-Ignored-Fields', ignoredFieldsHeader(ignored));
  if (faults.length > 0) throw new InvalidRequest(faults);
  return { path, query, headers, body: parsedBody };
}

/**
 * Whether unknown members are ignored: the caller prefers it, the contract allows it, or the
 * operation takes no input at all, so that it declares no 422.
 */
function takesUnknownFields(contract: Contract, request: Request, response: Response): boolean {
  const isPreferred = prefersLenient(request.get('prefer'));
  if (isPreferred) response.setHeader('Preference-Applied', 'handling=lenient');
  return isPreferred || !refusesUnknownFields(contract);
}

/** Whether an operation answers 422 to unknown members, unless the caller is lenient. */
export const refusesUnknownFields = ({ request, unknownFields: rule }: Contract): boolean =>
  rule !== 'ignored' && takesParameters(request);

/** An operation that takes no input declares no 422. */
export function takesParameters(shape: RequestShape): boolean {
  return Object.values(shape).some((part) => part !== undefined);
}

/** No column can store NUL: no object has such a path, and no parameter has such a value. */
function refuseNul(url: string): void {
  if (!url.includes('%00')) return;
  const [path = ''] = url.split('?');
  if (path.includes('%00')) throw new Failure('not_found');
  throw new InvalidRequest([{ loc: ['query'], msg: 'must not hold NUL', type: 'text_invalid' }]);
}

/** The query parser drops all parameters after the first thousand without an error. */
function refuseMany(url: string): void {
  if (url.split('&').length <= parametersMax) return;
  const msg = `must have at most ${parametersMax} parameters`;
  throw new InvalidRequest([{ loc: ['query'], msg, type: 'too_long' }]);
}

/** Express returns the rest of a path as a list of segments. */
function joined(params: Request['params']): Record<string, string> {
  const whole: Record<string, string> = {};
  for (const name in params) {
    const value = params[name];
    if (value !== undefined) whole[name] = typeof value === 'string' ? value : value.join('/');
  }
  return whole;
}

/** Refuses a known parameter that occurs twice, because its value would be ambiguous. */
function singles(
  given: GivenQuery,
  known: readonly string[],
  faults: ValidationFault[],
): Record<string, unknown> {
  const flat: Record<string, unknown> = {};
  for (const name of known) {
    const value = given[name];
    if (value === undefined) continue;
    if (typeof value === 'string' || isBracketed(value)) flat[name] = value;
    else faults.push({ loc: ['query', name], msg: 'must be given once', type: 'duplicate' });
  }
  return flat;
}

function headersOf(schema: z.ZodObject | undefined, request: Request): Record<string, unknown> {
  const names = Object.keys(schema?.shape ?? {});
  return Object.fromEntries(names.map((name) => [name, request.get(name)]));
}

/** Returns the value of a JSON body, or its syntax faults. */
function bodyValue(
  body: ReadBody,
): { readonly value: unknown } | { readonly faults: readonly ValidationFault[] } {
  if (body.bytes.length === 0) return { value: undefined };
  try {
    return { value: parseJson(body.bytes) };
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    return { faults: error.faults };
  }
}

const nothing = z.object({});
