import type { Command } from 'commander';

/** Adds the commands that prepare the database of an operator. */
export function addDatabaseCommands(program: Command, admin: Command): void {
  program
    .command('migrate')
    .description(
      'apply migrations and the privileges of API and worker, as the role of ' +
        'MIGRATIONS_DATABASE_URL',
    )
    .action(async () => {
      const { migrateDatabase } = await import('./database.ts');
      await migrateDatabase();
    });
  admin
    .command('database')
    .description('the database and its roles')
    .command('create')
    .description(
      'create the database and its three roles, or set their passwords: as the role of ' +
        'DATABASE_ADMIN_URL, by MIGRATIONS_DATABASE_URL, API_DATABASE_URL, WORKER_DATABASE_URL',
    )
    .action(async () => {
      const { createFromEnvironment } = await import('./database.ts');
      await createFromEnvironment();
    });
}
