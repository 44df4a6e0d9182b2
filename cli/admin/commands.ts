import type { Command } from 'commander';
import { dataDirectory } from '../data-directory/data-directory.ts';
import { addDatabaseCommands } from './database-commands.ts';
import { addDeviceCommands } from './device-commands.ts';
import { addSmsStopCommands } from './sms-stop-commands.ts';
import { addTicketCommands } from './ticket-commands.ts';

type MemberOptions = { account: string; role: string; email?: string };
const accountOption = ['--account <account_id>', 'the account'] as const;

/** Adds `migrate` and `admin`. Returns `admin`. */
export function addAdminCommands(program: Command): Command {
  const admin = program
    .command('admin')
    .description(
      'accounts, apps, members, keys, tickets: on MIGRATIONS_DATABASE_URL, or on what runs here',
    );
  admin
    .command('account')
    .description('make an account and print its number')
    .requiredOption('--name <name>', 'what people who are asked to verify see')
    .option('--verified', 'who they are was looked at')
    .action(async (options: { name: string; verified?: boolean }) => {
      const { administer } = await import('./admin-command.ts');
      const { makeAccount } = await import('./admin.ts');
      process.exitCode = await administer(dataDirectory(), (db, now) =>
        makeAccount(db, options, now),
      );
    });
  admin
    .command('app')
    .description('make an app and print its id; BASE_URL is the public address')
    .argument('<app_id>', 'its id, part of every link')
    .requiredOption(...accountOption)
    .requiredOption('--name <name>', 'what people who are asked to verify see')
    .option('--kind <kind>', 'sdk or portal', 'sdk')
    .action(async (appId: string, options: { account: string; name: string; kind: string }) => {
      const { administer, publicAddress } = await import('./admin-command.ts');
      const { makeApp } = await import('./admin.ts');
      const baseUrl = await publicAddress(dataDirectory());
      process.exitCode = await administer(dataDirectory(), (db, now) =>
        makeApp(db, { appId, ...options }, baseUrl, now),
      );
    });
  addMemberCommands(admin);
  addDatabaseCommands(program, admin);
  addDeviceCommands(admin, dataDirectory);
  addTicketCommands(admin, dataDirectory);
  addSmsStopCommands(admin, dataDirectory);
  return admin;
}

function addMemberCommands(admin: Command): void {
  admin
    .command('member')
    .description('give a person roles in an account and print them')
    .argument('[poly_user_id]', 'who has enrolled a device, or signed in')
    .option('--email <address>', 'or the person who proves this address by a mail within 30 days')
    .requiredOption(...accountOption)
    .requiredOption(
      '--role <role>',
      'VIEWER, MEMBER, REVIEWER, ADMIN or POLYADMIN; several by commas',
    )
    .action(async (polyUserId: string | undefined, options: MemberOptions) => {
      const { administer, sealEmail } = await import('./admin-command.ts');
      const { makeMember } = await import('./admin.ts');
      const directory = dataDirectory();
      process.exitCode = await administer(directory, (db, now) =>
        makeMember(db, { polyUserId, ...options }, sealEmail(directory, db), now),
      );
    });
  admin
    .command('key')
    .description('make an API key and print it: nothing shows it again')
    .requiredOption(...accountOption)
    .requiredOption('--name <name>', 'what it is for')
    .option('--role <role>', 'VIEWER, MEMBER, REVIEWER or ADMIN; several by commas', 'ADMIN')
    .option('--test', 'a key of test mode')
    .action(async (options: { account: string; name: string; role: string; test?: boolean }) => {
      const { administer } = await import('./admin-command.ts');
      const { makeKey } = await import('./admin.ts');
      process.exitCode = await administer(dataDirectory(), (db, now) => makeKey(db, options, now));
    });
}
