import { z } from 'zod';
import type { ValidationFault } from '../problem/problem.ts';
import { nearestName } from './nearest-name.ts';

/** The path of a member: names of members and indexes of lists. */
type FieldPath = readonly (string | number)[];

/** A member that the schema of its object does not declare. */
export interface UnknownField {
  readonly path: FieldPath;
  /** The names that the schema declares. */
  readonly known: readonly string[];
}

const namedMax = 20;
const nameLengthMax = 64;
/** Replaces the rest of a long name. */
const ellipsis = '…';
const cut = encodeURIComponent(ellipsis);
const empty = '""';

/**
 * Returns the members of a value that its schema does not declare, at any depth. A record may have
 * any member.
 */
export function unknownFields(
  schema: unknown,
  value: unknown,
  at: FieldPath = [],
): readonly UnknownField[] {
  if (typeof value !== 'object' || value === null) return [];
  const form = formOf(schema, value);
  if (form instanceof z.ZodArray) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    return items.flatMap((item, index) => unknownFields(form.element, item, [...at, index]));
  }
  if (form instanceof z.ZodRecord) {
    return Object.entries(value).flatMap(([name, member]) =>
      unknownFields(form.valueType, member, [...at, name]),
    );
  }
  if (!(form instanceof z.ZodObject) || Array.isArray(value)) return [];
  const known = Object.keys(form.shape);
  return Object.entries(value).flatMap(([name, member]) =>
    Object.hasOwn(form.shape, name)
      ? unknownFields(form.shape[name], member, [...at, name])
      : [{ path: [...at, name], known }],
  );
}

/**
 * Returns one 422 fault for each of the first 20 unknown members, with the nearest known name, and
 * one fault with the number of the rest. Names over 64 characters are shortened.
 */
export function unknownFieldFaults(
  part: string,
  unknown: readonly UnknownField[],
): ValidationFault[] {
  const type = 'unknown_field';
  const faults = unknown.slice(0, namedMax).map(({ path, known }) => {
    const nearest = nearestName(String(path.at(-1)), known);
    const msg = nearest === null ? 'Unknown field' : `Unknown field, did you mean ${nearest}?`;
    return { loc: [part, ...path.map(shortened)], msg, type };
  });
  const more = unknown.length - faults.length;
  return more > 0 ? [...faults, { loc: [part], msg: `${more} more unknown fields`, type }] : faults;
}

function shortened(step: string | number): string | number {
  if (typeof step === 'number' || step.length <= nameLengthMax) return step;
  return step.slice(0, nameLengthMax).toWellFormed() + ellipsis;
}

/**
 * Unwraps optional, nullable, default and transforming schemas. Returns the option of a
 * discriminated union that the value selects.
 */
function formOf(schema: unknown, value: object): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return formOf(schema.unwrap(), value);
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return formOf(schema.unwrap(), value);
  }
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const { discriminator } = schema.def;
    const selected: unknown = Object.getOwnPropertyDescriptor(value, discriminator)?.value;
    return schema.options.find(
      (one) => one instanceof z.ZodObject && isOf(one.shape[discriminator], selected),
    );
  }
  return schema instanceof z.ZodPipe ? formOf(declaredSideOf(schema), value) : schema;
}

/** Returns the side of a pipe that describes the input: the second one for `z.preprocess`. */
const declaredSideOf = (pipe: z.ZodPipe): unknown =>
  pipe.in instanceof z.ZodTransform ? pipe.out : pipe.in;

const isOf = (schema: unknown, value: unknown): boolean =>
  schema instanceof z.ZodType && schema.safeParse(value).success;

/**
 * Returns the value of `X-Ignored-Fields`: at most 20 members as `outer.inner`, then the number of
 * the rest. A name is percent-encoded except for letters, digits and `-_~!*'()`, its dots too, and
 * shortened to 64 characters. The list can be split by comma and dot and has only printable bytes.
 */
export function ignoredFieldsHeader(ignored: readonly UnknownField[]): string {
  const named = ignored.slice(0, namedMax).map(({ path }) => path.map(encoded).join('.'));
  const more = ignored.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function encoded(step: string | number): string {
  if (step === '') return empty;
  let text = '';
  for (const character of String(step).toWellFormed()) {
    const next = character === '.' ? '%2E' : encodeURIComponent(character);
    if (text.length + next.length > nameLengthMax) return text + cut;
    text += next;
  }
  return text;
}
