import pg from 'pg';
import { MigrationRefused } from './migration-refused.ts';

/** Runs one query and waits for the answer up to the timeout of its connection. */
export type Query = <Row extends pg.QueryResultRow>(
  text: string,
  values?: readonly unknown[],
) => Promise<Row[]>;

/** The driver gives these errors no code, only a message: before and after the handshake. */
const silences = ['timeout expired', 'Query read timeout'];

/**
 * Runs `work` on a dedicated connection. The timeout applies to the handshake and to each query
 * through `ask`. A server that accepts the connection and then stops responding causes a one-line
 * error. Queries on `client` itself have no time limit.
 * @throws MigrationRefused `silent`, and errors of `work`
 */
export async function withQueryTimeout(
  databaseUrl: string,
  answerMsMax: number,
  work: (ask: Query, client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: answerMsMax,
    application_name: 'trustcheck-migrate',
    keepAlive: true,
  });
  // The failing query already reports a broken connection. Without a listener, the 'error' event
  // would end the process.
  client.on('error', () => undefined);
  const ask: Query = async (text, values = []) => {
    const query = { text, values: [...values], query_timeout: answerMsMax };
    return (await client.query(query)).rows;
  };
  try {
    await client.connect();
    try {
      await work(ask, client);
    } finally {
      // If a query is pending, the driver closes the socket and does not wait for the server.
      await client.end();
    }
  } catch (error) {
    if (!isQueryTimeout(error)) throw error;
    const line =
      `the database${placeOf(databaseUrl)} does not answer: not a word within ` +
      `${answerMsMax / 1000} s; mend it, or what lies between, and start again`;
    throw new MigrationRefused('silent', line, { cause: error });
  }
}

/** Returns true if an error means that the server did not answer in time. */
export function isQueryTimeout(error: unknown): boolean {
  return error instanceof Error && silences.includes(error.message);
}

/** Returns ` at host/database` of a URL, without the password. */
function placeOf(databaseUrl: string): string {
  if (!URL.canParse(databaseUrl)) return '';
  const { host, pathname } = new URL(databaseUrl);
  return ` at ${host}${pathname}`;
}
