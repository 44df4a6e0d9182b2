// Runs a PostgreSQL server in `dataDir` with its programs in `cache`, and stays until it is ended.
import { startPostgres } from '../../../cli/platform/postgres.ts';

const [dataDir = '', cache = ''] = process.argv.slice(2);
const { pid, url, stop } = await startPostgres({
  dataDir,
  cache,
  logFile: `${dataDir}.log`,
  isThrowaway: true,
});
process.stdout.write(`${JSON.stringify({ pid, url })}\n`);
process.once('SIGTERM', () => void stop().then(() => process.exit(0)));
setInterval(() => undefined, 60_000);
