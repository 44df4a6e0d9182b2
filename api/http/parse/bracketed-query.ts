import type { Request } from 'express';
import type { z } from 'zod';

/** A query with `name[key]` parameters gathered under `name`. */
export type GivenQuery = Readonly<Record<string, unknown>>;

const bracket = /^(\w+)\[([^[\]]*)\]$/;

/**
 * Gathers `name[key]=value` into one object per name, and `name[]=value` into one comma-separated
 * text. Does so only for parameters with a style (`param` in the metadata of the schema). A key
 * that occurs twice has a list as its value.
 */
export function bracketed(query: Request['query'], schema: z.ZodObject | undefined): GivenQuery {
  const given = new Map<string, unknown>();
  for (const [whole, value] of Object.entries(query)) {
    const [, name, key] = bracket.exec(whole) ?? [];
    // A record cannot have this key, so it is reported as an unknown parameter instead of dropped.
    const isNamed = name !== undefined && key !== undefined && key !== '__proto__';
    if (!isNamed || !hasStyle(schema, name)) {
      if (!given.has(whole)) given.set(whole, value);
      continue;
    }
    const known = given.get(name) ?? query[name];
    if (key === '') given.set(name, [known, value].flat().filter(isText).join(','));
    else given.set(name, { ...(isBracketed(known) ? known : {}), [key]: value });
  }
  return Object.fromEntries(given);
}

function hasStyle(schema: z.ZodObject | undefined, name: string): boolean {
  const parameters: Readonly<Record<string, z.ZodType>> = schema?.shape ?? {};
  if (!Object.hasOwn(parameters, name)) return false;
  return parameters[name]?.meta()?.['param'] !== undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Whether a parameter was sent as `name[key]=value`. */
export const isBracketed = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
