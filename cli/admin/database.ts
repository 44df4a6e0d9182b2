import { createDatabase } from '../../db/migrating/create-database.ts';
import { migrate } from '../../db/migrating/migrate.ts';
import { environment } from '../environment.ts';

/** Applies migrations and grants on the database of `MIGRATIONS_DATABASE_URL`. */
export async function migrateDatabase(): Promise<void> {
  const url = addressIn('MIGRATIONS_DATABASE_URL');
  await migrate(url, (line) => void process.stderr.write(`${line}\n`));
  process.stdout.write('migrated\n');
}

/** Creates database and roles from the four addresses of the environment. */
export async function createFromEnvironment(): Promise<void> {
  await createDatabase(addressIn('DATABASE_ADMIN_URL'), {
    owner: addressIn('MIGRATIONS_DATABASE_URL'),
    api: addressIn('API_DATABASE_URL'),
    worker: addressIn('WORKER_DATABASE_URL'),
  });
  process.stdout.write('created\n');
}

function addressIn(name: string): string {
  const url = environment()[name] ?? '';
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Error(`set ${name} to a postgres:// address`);
  }
  return url;
}
