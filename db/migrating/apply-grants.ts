import {
  functionGrants,
  schemaGrants,
  sequenceGrants,
  tableGrants,
  type Grants,
} from '../rights/grants.ts';
import { databaseRoles } from '../rights/roles.ts';
import type { Query } from './query-timeout.ts';
import { isForbidden, MigrationRefused } from './migration-refused.ts';

const processes = ['api', 'worker'] as const;
/**
 * Revoking a privilege on a table also revokes it on its columns, so one pass may not be enough.
 */
const passesMax = 3;

/**
 * One privilege in the syntax of `GRANT` and `REVOKE`, such as `UPDATE (seq) ON TABLE
 * public.streams`.
 */
interface Privilege {
  /** A role name, or PUBLIC for every role. */
  readonly role: string;
  readonly text: string;
}

/**
 * Grants the roles of the processes the privileges of `grants.ts` and revokes all others from them
 * and from PUBLIC. Changes nothing if the privileges already match.
 * @throws MigrationRefused `forbidden` if the current role may not grant
 */
export async function applyGrants(ask: Query): Promise<void> {
  const changes = await findChanges(ask);
  for (let pass = 1; pass <= passesMax && changes.length > 0; pass += 1) {
    // One query with several statements is one transaction.
    const all = ['ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC', ...changes];
    await ask(all.join('; ')).catch((error: unknown) => {
      throw isForbidden(error) ? forbidden(changes, error) : error;
    });
    changes.splice(0, changes.length, ...(await findChanges(ask)));
  }
  if (changes.length > 0) throw forbidden(changes);
}

export async function areGrantsApplied(ask: Query): Promise<boolean> {
  return (await findChanges(ask)).length === 0;
}

/** Returns the statements after which the roles hold exactly the privileges of `grants.ts`. */
async function findChanges(ask: Query): Promise<string[]> {
  const [granted, wanted] = [await heldPrivileges(ask), await wantedPrivileges(ask)];
  const keyOf = ({ role, text }: Privilege): string => `${role} ${text}`;
  const heldKeys = new Set(granted.map(keyOf));
  const wantedKeys = new Set(wanted.map(keyOf));
  return [
    ...granted
      .filter((each) => !wantedKeys.has(keyOf(each)))
      .map(({ role, text }) => `REVOKE ${text} FROM ${role}`),
    ...wanted
      .filter((each) => !heldKeys.has(keyOf(each)))
      .map(({ role, text }) => `GRANT ${text} TO ${role}`),
  ];
}

async function wantedPrivileges(ask: Query): Promise<Privilege[]> {
  const [database] = await ask<{ name: string }>('SELECT quote_ident(current_database()) AS name');
  const ofKind = (kind: string, all: Readonly<Record<string, Grants>>): Privilege[] =>
    Object.entries(all).flatMap(([name, grants]) =>
      processes.flatMap((process) =>
        privilegesIn(grants[process]).map((privilege) => ({
          role: databaseRoles[process],
          text: `${privilege} ON ${kind} ${name}`,
        })),
      ),
    );
  return [
    ...ofKind('TABLE', tableGrants),
    ...ofKind('SEQUENCE', sequenceGrants),
    ...ofKind('FUNCTION', functionGrants),
    ...ofKind('SCHEMA', schemaGrants),
    ...ofKind('DATABASE', { [database?.name ?? '']: { api: 'CONNECT', worker: 'CONNECT' } }),
  ];
}

/**
 * Splits a list of privileges: `SELECT, UPDATE (a, b)` becomes `SELECT`, `UPDATE (a)`, `UPDATE
 * (b)`.
 */
export function privilegesIn(grants: string): string[] {
  return [...grants.matchAll(/([A-Z]+)(?: \(([^)]+)\))?/g)].flatMap(([, name = '', columns]) =>
    columns === undefined ? [name] : columns.split(', ').map((column) => `${name} (${column})`),
  );
}

/**
 * Returns the privileges that the roles of the processes and PUBLIC hold on the database, its
 * schemas and their objects, except objects of extensions.
 * https://www.postgresql.org/docs/18/ddl-priv.html
 */
function heldPrivileges(ask: Query): Promise<Privilege[]> {
  return ask<{ role: string; text: string }>(
    `WITH schemas AS (
       SELECT oid, nspname, nspowner, nspacl FROM pg_namespace
       WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
     ), tables AS (
       SELECT c.oid, relkind, relowner, relacl, format('%I.%I', nspname, relname) AS name
       FROM pg_class c JOIN schemas s ON s.oid = relnamespace
       WHERE relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
     ), functions AS (
       SELECT p.oid, proowner, proacl,
         format('%I.%I(%s)', nspname, proname, pg_get_function_identity_arguments(p.oid)) AS name
       FROM pg_proc p JOIN schemas s ON s.oid = pronamespace
     ), held AS (
       SELECT grantee, privilege_type || ' ON '
         || CASE relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || name AS text, t.oid
       FROM tables t, aclexplode(coalesce(relacl,
         acldefault(CASE relkind WHEN 'S' THEN 's'::"char" ELSE 'r'::"char" END, relowner)))
       UNION ALL
       SELECT grantee, format('%s (%I) ON TABLE %s', privilege_type, attname, name), t.oid
       FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid, aclexplode(attacl)
       WHERE NOT attisdropped
       UNION ALL
       SELECT grantee, privilege_type || ' ON FUNCTION ' || name, f.oid
       FROM functions f, aclexplode(coalesce(proacl, acldefault('f', proowner)))
       UNION ALL
       SELECT grantee, format('%s ON SCHEMA %I', privilege_type, nspname), s.oid
       FROM schemas s, aclexplode(coalesce(nspacl, acldefault('n', nspowner)))
       UNION ALL
       SELECT grantee, format('%s ON DATABASE %I', privilege_type, datname), d.oid
       FROM pg_database d, aclexplode(coalesce(datacl, acldefault('d', datdba)))
       WHERE datname = current_database()
     )
     SELECT coalesce(rolname, 'PUBLIC') AS role, text
     FROM held LEFT JOIN pg_roles r ON r.oid = grantee
     WHERE (grantee = 0 OR rolname = ANY ($1))
       AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.objid = held.oid AND e.deptype = 'e')
     ORDER BY text, role`,
    [processes.map((process) => databaseRoles[process])],
  );
}

/** @throws MigrationRefused `roles` if the role of a process is missing */
export async function requireRoles(ask: Query): Promise<void> {
  const wanted = processes.map((process) => databaseRoles[process]);
  const found = await ask<{ rolname: string }>(
    'SELECT rolname FROM pg_roles WHERE rolname = ANY ($1)',
    [wanted],
  );
  const missing = wanted.filter((name) => !found.some(({ rolname }) => rolname === name));
  if (missing.length === 0) return;
  throw new MigrationRefused(
    'roles',
    `the database server lacks the role ${missing.join(' and the role ')}: ` +
      'create it with "trustcheck admin database create"',
  );
}

function forbidden(changes: readonly string[], error?: unknown): MigrationRefused {
  const line =
    `the role may not change the privileges of the processes (${changes.length} differ, ` +
    `first: ${changes[0]}): run the migrations as the owner of the database and of its tables`;
  return new MigrationRefused('forbidden', line, { cause: error });
}
