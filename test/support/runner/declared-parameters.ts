import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Contract } from '../../../api/http/contract.ts';

/** A parameter as the API table lists it. */
export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly type: string;
  readonly enum?: readonly unknown[];
  /** Minimum value, or minimum length in characters. */
  readonly min?: number;
  readonly max?: number;
  readonly default?: unknown;
  readonly required?: true;
}

interface Property {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
}

const parts = [
  ['path', 'path'],
  ['query', 'query'],
  ['header', 'headers'],
] as const;

/** Returns the parameters that a contract reads, as the documents describe them to clients. */
export function parametersOf({ request }: Contract): Parameter[] {
  return parts.flatMap(([place, part]) => {
    const shape = request[part];
    if (!shape) return [];
    const { properties = {}, required = [] } = z.toJSONSchema(shape, {
      io: 'input',
      unrepresentable: 'any',
    });
    return Object.entries(properties).map(([name, property]) =>
      parameterOf(place, name, property as Property, required.includes(name)),
    );
  });
}

/** Returns the kind of body that a contract reads; undefined for none. */
export function bodyOf({ request }: Contract): 'required' | 'optional' | 'bytes' | undefined {
  if (request.rawBytesMax !== undefined) return 'bytes';
  if (!request.body) return undefined;
  return request.body.safeParse(undefined).success ? 'optional' : 'required';
}

function parameterOf(
  place: Parameter['in'],
  name: string,
  { type, format, minimum, maximum, minLength, maxLength, ...property }: Property,
  isRequired: boolean,
): Parameter {
  // Omits JavaScript's own bounds of an integer, which are not a rule of the API.
  const own = (bound: number | undefined) =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;
  const [min, max] = [own(minimum) ?? minLength, own(maximum) ?? maxLength];
  // A query has the words `true` and `false` for a boolean.
  const isBoolean = isDeepStrictEqual(property.enum, ['true', 'false']);
  const value = isBoolean ? property.default === 'true' : property.default;
  return {
    in: place,
    name,
    type: isBoolean ? 'boolean' : format === 'date' ? 'date' : (type ?? 'any'),
    ...(property.enum && !isBoolean ? { enum: property.enum } : {}),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(property.default === undefined ? {} : { default: value }),
    ...(isRequired ? { required: true as const } : {}),
  };
}
