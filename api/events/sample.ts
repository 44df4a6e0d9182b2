import { z } from 'zod';
import { type EventType, apiVersion } from '../../workflows/events.ts';
import { familyOfEvent, objectOfEvent } from './payloads.ts';

export interface SampleFacts {
  readonly event_id: string;
  readonly account_id: number;
  readonly app_id: string | null;
  readonly created_at: Date;
  /** The existing object that the event is about. */
  readonly known?: { readonly id: string; readonly object: Readonly<Record<string, unknown>> };
}

interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

/**
 * Returns a sample event of a type, generated from its schema: every member is present, ids say
 * that they are samples, and `livemode` is false.
 */
export function sampleOf(type: EventType, facts: SampleFacts) {
  const family = familyOfEvent(type);
  const status = type.slice(family.length + 1);
  const objectId = facts.known?.id ?? `${family}_sample`;
  const schema = objectOfEvent(type)?.schema;
  const made = schema ? valueOf(z.toJSONSchema(schema, { io: 'input' }) as JsonSchema, '') : {};
  const object: Record<string, unknown> = {
    ...(typeof made === 'object' ? made : {}),
    ...(schema && 'account_id' in schema.shape ? { account_id: facts.account_id } : {}),
    ...(schema && 'app_id' in schema.shape ? { app_id: facts.app_id ?? 'sample-app' } : {}),
    ...facts.known?.object,
  };
  if (schema && hasStatus(schema, status)) object['status'] = status;
  return {
    event_id: facts.event_id,
    type,
    api_version: apiVersion,
    created_at: facts.created_at.toISOString(),
    account_id: facts.account_id,
    app_id: facts.app_id,
    livemode: false,
    stream: `sample:${objectId}`,
    sequence: 1,
    object_id: objectId,
    data: { object },
    previous: null,
  };
}

function hasStatus(schema: z.ZodObject, status: string): boolean {
  const { status: field } = schema.shape;
  return field instanceof z.ZodType && field.safeParse(status).success;
}

/** Returns the first value of a schema that is not trivial. */
function valueOf(schema: JsonSchema, name: string): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return valueOf(schema.anyOf[0] ?? {}, name);
  if (schema.type === 'object') {
    const members = Object.entries(schema.properties ?? {});
    return Object.fromEntries(members.map(([key, member]) => [key, valueOf(member, key)]));
  }
  if (schema.type === 'array') return schema.items?.enum ? [schema.items.enum[0]] : [];
  if (schema.type === 'integer' || schema.type === 'number') return 1;
  if (schema.type === 'boolean') return false;
  return schema.format === 'date-time' ? '2026-01-01T00:00:00.000Z' : `${name}_sample`;
}
