import { z } from 'zod';
import type { Contract } from '../../../../api/http/contract.ts';
import type { Things } from '../things.ts';
import { unknownThings } from '../unknown-things.ts';

/** A member of a query or a body that names an object. */
export interface IdMember {
  readonly contract: Contract;
  readonly place: 'query' | 'body';
  readonly name: string;
  readonly isList: boolean;
}

interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

const idName = /(^|_)(ids?|uuids?)$|^(cursor|after|stream|send)$/;
/** The forms of ids, each with a string of the same length and another form. */
const forms = Object.values(unknownThings)
  .filter((id): id is string => /^[a-z]+_|^[0-9a-f-]{36}$/.test(id))
  .map((id) => [id, 'z'.repeat(id.length)] as const);

const isIdForm = (pattern: string | undefined): boolean =>
  pattern !== undefined &&
  forms.some(([id, other]) => new RegExp(pattern).test(id) && !new RegExp(pattern).test(other));

const partsOf = ({ anyOf = [], oneOf = [], allOf = [] }: Schema): readonly Schema[] => [
  ...anyOf,
  ...oneOf,
  ...allOf,
];

function isId(name: string, schema: Schema): boolean {
  const all = [schema, ...partsOf(schema), ...(schema.items ? [schema.items] : [])];
  return idName.test(name) || all.some(({ pattern }) => isIdForm(pattern));
}

/** Returns all properties of a schema, including those of nested objects. */
function propertiesOf(
  schema: Schema,
  defs: Schema['$defs'] = schema.$defs ?? {},
  seen: readonly string[] = [],
): [string, Schema][] {
  const { $ref } = schema;
  if ($ref !== undefined) {
    const target = defs[$ref.split('/').at(-1) ?? ''];
    return target && !seen.includes($ref) ? propertiesOf(target, defs, [...seen, $ref]) : [];
  }
  const own = Object.entries(schema.properties ?? {});
  const inner = [...own.map(([, each]) => each), ...partsOf(schema)];
  if (schema.items) inner.push(schema.items);
  return [...own, ...inner.flatMap((each) => propertiesOf(each, defs, seen))];
}

/** Returns the id-bearing members of a request as its schemas declare them. */
export function idMembersOf(contract: Contract): IdMember[] {
  return (['query', 'body'] as const).flatMap((place) => {
    const declared = contract.request[place];
    if (!declared) return [];
    const schema: Schema = JSON.parse(
      JSON.stringify(
        z.toJSONSchema(declared, { io: 'input', unrepresentable: 'any', reused: 'inline' }),
      ),
    );
    const found = propertiesOf(schema).filter(([name, each]) => isId(name, each));
    return [...new Map(found)].map(([name, each]) => ({
      contract,
      place,
      name,
      isList: each.type === 'array',
    }));
  });
}

type Refer = (things: Things) => string | number;

/** Routes that take a link to create a join session. */
const meetingLinks = ['POST /v2/join/session', 'GET /v2/join/session'];

/** The object that each member names. */
export const referents: Readonly<Record<string, Refer>> = {
  account_id: ({ account_id }) => Number(account_id),
  app_id: ({ app_id }) => app_id,
  app_ids: ({ app_id }) => app_id,
  link_uuid: ({ link_uuid }) => link_uuid,
  link_session_id: ({ id }) => id,
  meeting_id: ({ meeting_id }) => meeting_id,
  object_id: ({ link_uuid }) => link_uuid,
  poly_user_id: ({ guest }) => guest,
  poly_user_ids: ({ poly_user_id }) => poly_user_id,
  join_session_id: (things) => things.join_session_id,
  participant_id: (things) => things.participant_id,
  stream: ({ link_uuid }) => `link:${link_uuid}`,
};

/**
 * Returns the object that a member names in one operation, or null if it names none of an account.
 */
export function referentOf({ contract, name }: IdMember): Refer | null {
  const route = `${contract.method.toUpperCase()} ${contract.path}`;
  if (name === 'link_uuid' && meetingLinks.includes(route)) {
    return ({ meetingLink }) => meetingLink;
  }
  return referents[name] ?? null;
}

/** Members with the name or form of an id that name no object of an account, with the reason. */
export const otherMembers: Readonly<Record<string, string>> = {
  job_id: 'a text of the caller, which is matched in their own account',
  reference_id: 'a text of the caller, which is matched in their own account',
  team_id: 'a team of a vendor',
  bundle_id: 'a program of a vendor',
  key_id: 'a key of a device, which its attestation proves',
  client_id: 'a client of a sign-in provider',
  client_ids: 'clients of a sign-in provider',
  after: 'a position in the events of the caller',
  cursor: 'a position in the list of the caller',
  challenge_id: 'looked up in the check of the path, which needs the token of that check',
  send: 'covered by the signature of the provider of text messages',
};
