import pg from 'pg';
import { accountSetting } from './account-scope.ts';

/** Returns no rows, because `set_config` never returns null. */
const setAccount = {
  name: 'account_scope.set',
  text: `SELECT WHERE set_config('${accountSetting}', $1, true) IS NULL`,
} as const;

/** Prepares a new connection for `askScoped`. */
export function prepareScopes(client: pg.PoolClient, onError: (error: Error) => void): void {
  client.query({ ...setAccount, values: [''] }).catch(onError);
}

/**
 * Runs a statement in the scope of an account. Sends the setting in the same write, before the
 * statement and without its own Sync message. Both then form one transaction, and its end resets
 * the setting.
 * https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export function askScoped<Row extends pg.QueryResultRow>(
  client: Pick<pg.Pool, 'query'>,
  config: pg.QueryConfig,
  setting: string,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query<Row>({ ...config }, (error, result) => {
      // Two results arrive as an array; the first is the result of the setting.
      if (error) reject(error);
      else resolve([result].flat().at(-1)?.rows ?? []);
    });
    const submit = query.submit.bind(query);
    query.submit = (connection) => {
      connection.stream.cork();
      connection.bind({ statement: setAccount.name, values: [setting] }, true);
      connection.execute({ portal: '', rows: '0' }, true);
      const fault = submit(connection);
      connection.stream.uncork();
      return fault;
    };
    client.query(query);
  });
}
