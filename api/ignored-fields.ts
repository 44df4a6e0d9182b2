import { z } from 'zod';

/** Where a member lies: the names, or the places in lists, that lead to it. */
export type FieldPath = readonly string[];

const namedMax = 20;
const nameLengthMax = 64;
/** What stands for the rest of a long name, and for a name of no characters. */
const cut = encodeURIComponent('…');
const empty = '""';

/** The members of a value that its schema does not know, whatever object they lie in. */
export function unknownFields(
  schema: unknown,
  value: unknown,
  at: FieldPath = [],
): readonly FieldPath[] {
  if (typeof value !== 'object' || value === null) return [];
  const form = formOf(schema, value);
  if (form instanceof z.ZodArray) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    return items.flatMap((item, index) => unknownFields(form.element, item, [...at, `${index}`]));
  }
  if (form instanceof z.ZodRecord) {
    return Object.entries(value).flatMap(([name, member]) =>
      unknownFields(form.valueType, member, [...at, name]),
    );
  }
  if (!(form instanceof z.ZodObject) || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    Object.hasOwn(form.shape, name)
      ? unknownFields(form.shape[name], member, [...at, name])
      : [[...at, name]],
  );
}

/**
 * A schema without what says only that its value may be missing, or is made into another; of forms
 * that a member tells apart, the one the value is of.
 */
function formOf(schema: unknown, value: object): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return formOf(schema.unwrap(), value);
  }
  if (schema instanceof z.ZodDefault) return formOf(schema.unwrap(), value);
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const { discriminator } = schema.def;
    const told: unknown = Object.getOwnPropertyDescriptor(value, discriminator)?.value;
    return schema.options.find(
      (one) => one instanceof z.ZodObject && isOf(one.shape[discriminator], told),
    );
  }
  return schema instanceof z.ZodPipe ? formOf(schema.in, value) : schema;
}

const isOf = (schema: unknown, value: unknown): boolean =>
  schema instanceof z.ZodType && schema.safeParse(value).success;

/**
 * The value of `X-Ignored-Fields`: at most twenty members, `outer.inner` where one lies in another,
 * and how many more there are as the last. All but letters, digits and `-_~!*'()` of a name is
 * percent-encoded, a dot of its own too, and a long one is cut: a list that anybody can split by
 * comma and dot, and no byte a header may not have.
 */
export function ignoredFieldsHeader(ignored: readonly FieldPath[]): string {
  const named = ignored.slice(0, namedMax).map((path) => path.map(encoded).join('.'));
  const more = ignored.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function encoded(name: string): string {
  if (name === '') return empty;
  let text = '';
  for (const character of name.toWellFormed()) {
    const next = character === '.' ? '%2E' : encodeURIComponent(character);
    if (text.length + next.length > nameLengthMax) return text + cut;
    text += next;
  }
  return text;
}
