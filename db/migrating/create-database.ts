import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { databaseRoles, type DatabaseRole } from '../rights/roles.ts';

/** Connection URL of each role, with its password. */
export type DatabaseUrls = Readonly<Record<DatabaseRole, string>>;

const connectMsMax = 10_000;
const queryMsMax = 60_000;
/** The parameters of PostgreSQL: https://www.postgresql.org/docs/18/catalog-pg-authid.html */
const scram = { iterations: 4096, saltBytes: 16, keyBytes: 32 };

/** The database cannot be used as it is. The message says what to do. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';
}

/**
 * Creates the three roles and the owner's database if they are missing, and sets the passwords of
 * the roles. Running it again changes the passwords.
 * @param administratorUrl a role that may create roles and databases
 * @throws DatabaseRefused
 */
export async function createDatabase(administratorUrl: string, urls: DatabaseUrls): Promise<void> {
  const client = new pg.Client({
    connectionString: administratorUrl,
    connectionTimeoutMillis: connectMsMax,
    query_timeout: queryMsMax,
    application_name: 'trustcheck-create-database',
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const role of ['owner', 'api', 'worker'] as const) {
      await createRole(client, databaseRoles[role], passwordOf(urls[role], databaseRoles[role]));
    }
    await createOwned(client, decodeURIComponent(new URL(urls.owner).pathname.slice(1)));
  } finally {
    await client.end();
  }
}

function passwordOf(url: string, role: string): string {
  const { username, password } = new URL(url);
  if (username !== role || password === '') {
    throw new DatabaseRefused(`an address must name the role ${role} and its password`);
  }
  return decodeURIComponent(password);
}

async function createRole(client: pg.Client, role: string, password: string): Promise<void> {
  const find = 'SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls';
  const { rows } = await client.query<Record<string, boolean>>(
    `${find} FROM pg_roles WHERE rolname = $1`,
    [role],
  );
  const excess = Object.entries(rows[0] ?? {}).flatMap(([name, is]) => (is ? [name] : []));
  if (excess.length > 0) {
    throw new DatabaseRefused(`the role ${role} has too many rights (${excess.join(', ')})`);
  }
  const verb = rows.length === 0 ? 'CREATE' : 'ALTER';
  // Sends a SCRAM verifier, because a password in a statement could end up in the server log.
  await client.query(`${verb} ROLE ${role} LOGIN PASSWORD '${scramVerifier(password)}'`);
}

async function createOwned(client: pg.Client, name: string): Promise<void> {
  const { owner } = databaseRoles;
  const { rows } = await client.query<{ owner: string }>(
    `SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = $1`,
    [name],
  );
  const found = rows[0]?.owner;
  if (found === owner) return;
  const quoted = client.escapeIdentifier(name);
  if (found !== undefined) {
    throw new DatabaseRefused(
      `the database ${name} belongs to ${found}: run ALTER DATABASE ${quoted} OWNER TO ${owner}`,
    );
  }
  // Only a superuser can assign a database to a role of which it is not a member.
  await client.query(
    `DO $$ BEGIN
       IF NOT pg_has_role('${owner}', 'SET') THEN GRANT ${owner} TO CURRENT_USER; END IF;
     END $$`,
  );
  await client.query(`CREATE DATABASE ${quoted} OWNER ${owner}`);
}

/** Returns the SCRAM-SHA-256 verifier that the server stores in place of a password (RFC 5803). */
function scramVerifier(password: string): string {
  const { iterations, saltBytes, keyBytes } = scram;
  const salt = randomBytes(saltBytes);
  const salted = pbkdf2Sync(password, salt, iterations, keyBytes, 'sha256');
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
