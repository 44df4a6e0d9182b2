import pg from 'pg';
import { MigrationRefused } from './migration-refused.ts';

/** Asks one thing, and waits for the answer for as long as its connection may be silent. */
export type Query = <Row extends pg.QueryResultRow>(
  text: string,
  values?: readonly unknown[],
) => Promise<Row[]>;

/** The driver names these by their text only: before the handshake is over, and after. */
const silences = ['timeout expired', 'Query read timeout'];

/**
 * Does something on a connection of its own. Whatever is asked by `ask` is bounded, as is the
 * handshake: a server that takes the connection and falls silent is refused in one line. What is
 * asked of `client` itself may take as long as it takes.
 * @throws MigrationRefused `silent`, and what `work` throws
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
  // One that breaks is told by its query; unheard it ends the process.
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
      // With a question open the driver breaks the connection off, and waits for no goodbye.
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

/** Whether a fault says that a server did not answer in time. */
export function isQueryTimeout(error: unknown): boolean {
  return error instanceof Error && silences.includes(error.message);
}

/** Where a database is, without its password. */
function placeOf(databaseUrl: string): string {
  if (!URL.canParse(databaseUrl)) return '';
  const { host, pathname } = new URL(databaseUrl);
  return ` at ${host}${pathname}`;
}
