// Runs a PostgreSQL server in `dataDir` until it is stopped.
import { startPostgres } from '../../../cli/platform/postgres.ts';

const [dataDir = ''] = process.argv.slice(2);
const { pid, url, stop } = await startPostgres({
  dataDir,
  logFile: `${dataDir}.log`,
  isThrowaway: true,
});
process.stdout.write(`${JSON.stringify({ pid, url })}\n`);
process.once('SIGTERM', () => void stop().then(() => process.exit(0)));
setInterval(() => undefined, 60_000);
