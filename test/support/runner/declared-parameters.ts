import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Contract } from '../../../api/http/contract.ts';

/** A parameter as the table of the interface writes it down. */
export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly type: string;
  readonly enum?: readonly unknown[];
  /** The least number, or the fewest characters. */
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

/** The parameters a contract reads, each as clients see it in the documents. */
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

/** What a contract reads as a body; undefined for nothing. */
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
  // JavaScript's own bounds of an integer are nobody's rule.
  const own = (bound: number | undefined) =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;
  const [min, max] = [own(minimum) ?? minLength, own(maximum) ?? maxLength];
  // A query has words for true and false.
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
