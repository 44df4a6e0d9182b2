import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addDatabaseCommands } from './admin/database-commands.ts';
import { addDeviceCommands } from './admin/device-commands.ts';
import { addSmsStopCommands } from './admin/sms-stop-commands.ts';
import { addTicketCommands } from './admin/ticket-commands.ts';
import { calledBy, understood } from './command-line/called-by.ts';
import { oneMore } from './command-line/one-more.ts';
import { printable } from './command-line/printable.ts';
import { dataDirectory } from './data-directory/data-directory.ts';
import { addEvidenceCommands } from './evidence/commands.ts';
import { addKeyChangeCommands } from './keys/change-commands.ts';
import { addKeyCommands } from './keys/commands.ts';
import { addPhoneCommands } from './phone/commands.ts';
import { reasonOf } from './platform/reason.ts';
import { addTemporalCommands } from './temporal/commands.ts';
import { addLogCommands } from './verify/log-commands.ts';
import type { VerifyOptions } from './verify/verify.ts';

/** Of `verify` 2 is a verdict: there 1 says that nothing was judged. */
const usageCode = process.argv[2] === 'verify' ? 1 : 2;
const words = process.argv.slice(2);
const program = new Command('trustcheck')
  .description('Self-hosted identity verification')
  .version(manifest.version, '--version', 'print the version')
  // A fault is one line, written where it is caught.
  .configureOutput({ outputError: () => undefined })
  .exitOverride();

program
  .command('start')
  .description('bring up the whole platform and run one trust check in front of you')
  .option('--once', 'run the check, stop everything, exit 0 only when its affidavit verified')
  .option('--no-check', 'bring everything up and run nothing')
  .action(async (options: { once?: boolean; check: boolean }, command: Command) => {
    if (options.once && !options.check) {
      command.error('--once runs the check that --no-check leaves out: give one of them');
    }
    const { start } = await import('./local/start.ts');
    // What was interrupted may wait for something still: it is not waited for.
    process.exit(await start(dataDirectory(), options));
  });

program
  .command('stop')
  .description(
    'end what runs in order, as Ctrl-C does, and wait: 0 once nothing runs, or where nothing did',
  )
  .action(async () => {
    const { stop } = await import('./local/stop.ts');
    process.exitCode = await stop(dataDirectory());
  });

program
  .command('status')
  .description('print the box of the running platform again: exit 1 when it does not run')
  .option('--json', 'as JSON')
  .option('--secrets', 'with API key, session tokens and passwords')
  .action(async (options: { json?: boolean; secrets?: boolean }) => {
    process.exitCode = await (await import('./local/status.ts')).status(dataDirectory(), options);
  });

program
  .command('reset')
  .description('forget what the platform keeps: its files in .data, no others')
  .action(async () => {
    const { reset } = await import('./local/reset.ts');
    process.exitCode = await reset(dataDirectory());
  });

program
  .command('doctor')
  .description('check what the platform needs on this machine')
  .action(async () => {
    const { doctor } = await import('./local/doctor.ts');
    process.exitCode = await doctor(dataDirectory());
  });

program
  .command('verify')
  .description('verify an affidavit: exit 0 valid, 2 invalid, 3 indeterminate, 1 no verdict')
  .argument('<file>', 'the PDF; another file is invalid, an unreadable file gets no verdict')
  .option(
    '--root <pem>',
    'a trusted root certificate, repeatable; default: that of the local platform',
    oneMore,
  )
  .option('--crl <file>', 'a current revocation list, PEM or DER; one of each authority', oneMore)
  .option(
    '--tsa-root <pem>',
    'a root of an outside time stamp authority, trusted only for the time stamp of the seal',
    oneMore,
  )
  .option('--at <instant>', 'the time of verification, ISO 8601; default: now')
  .option('--evidence <file>', 'exported evidence, to compare with the hashes in the affidavit')
  .option('--proof <file>', 'the .tlog-proof, to verify that the affidavit is in the public log')
  .option('--log-key <key>', 'the key of the trusted log, as "trustcheck keys log" prints it')
  .option('--witness-key <key>', 'the key of a witness that must have signed, repeatable', oneMore)
  .option('--log-checkpoint <file>', 'a known checkpoint; the log proof must not be older')
  .option('--log-tiles <place>', 'tiles of the log (URL or folder): is its growth consistent?')
  .option('--json', 'print the whole verdict as JSON')
  .action(async (file: string, options: VerifyOptions) => {
    const { verify } = await import('./verify/verify.ts');
    process.exitCode = await verify(file, options, dataDirectory());
  });

addEvidenceCommands(program);

addKeyCommands(program);

addLogCommands(program);
addTemporalCommands(program);

const admin = program
  .command('admin')
  .description(
    'accounts, apps, members, keys, tickets: on MIGRATIONS_DATABASE_URL, or on what runs here',
  );
type MemberOptions = { account: string; role: string; email?: string };
const accountOption = ['--account <account_id>', 'the account'] as const;
admin
  .command('account')
  .description('make an account and print its number')
  .requiredOption('--name <name>', 'what people who are asked to verify see')
  .option('--verified', 'who they are was looked at')
  .action(async (options: { name: string; verified?: boolean }) => {
    const { administer } = await import('./admin/admin-command.ts');
    const { makeAccount } = await import('./admin/admin.ts');
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
    const { administer, publicAddress } = await import('./admin/admin-command.ts');
    const { makeApp } = await import('./admin/admin.ts');
    const baseUrl = await publicAddress(dataDirectory());
    process.exitCode = await administer(dataDirectory(), (db, now) =>
      makeApp(db, { appId, ...options }, baseUrl, now),
    );
  });
admin
  .command('member')
  .description('give a person roles in an account and print them')
  .argument('[poly_user_id]', 'who has enrolled a device, or signed in')
  .option('--email <address>', 'or whoever proves this address, at a mail and within 30 days')
  .requiredOption(...accountOption)
  .requiredOption(
    '--role <role>',
    'VIEWER, MEMBER, REVIEWER, ADMIN or POLYADMIN; several by commas',
  )
  .action(async (polyUserId: string | undefined, options: MemberOptions) => {
    const { administer, sealEmail } = await import('./admin/admin-command.ts');
    const { makeMember } = await import('./admin/admin.ts');
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
    const { administer } = await import('./admin/admin-command.ts');
    const { makeKey } = await import('./admin/admin.ts');
    process.exitCode = await administer(dataDirectory(), (db, now) => makeKey(db, options, now));
  });

addDatabaseCommands(program, admin);
addDeviceCommands(admin, dataDirectory);
addKeyChangeCommands(admin, dataDirectory);
addTicketCommands(admin, dataDirectory);
addSmsStopCommands(admin, dataDirectory);

const audit = program.command('audit').description('who changed what of an account');
audit
  .command('verify')
  .description('walk the audit logs: exit 0 when all hold, 1 with the first row that does not')
  .option('--account <account_id>', 'of this account alone')
  .action(async ({ account }: { account?: string }) => {
    const { verifyAuditLogs } = await import('./verify/verify-audit.ts');
    process.exitCode = await verifyAuditLogs(account, dataDirectory());
  });

const workers = program
  .command('workers')
  .description('builds of the workers at the workflow server of TEMPORAL_ADDRESS');
workers
  .command('versions')
  .description('print the builds, whether they are current, ramp or drain, and their workers')
  .option('--json', 'as JSON')
  .action(async ({ json }: { json?: boolean }) => {
    const { printVersions } = await import('./temporal/workers.ts');
    process.exitCode = await printVersions(dataDirectory(), json ?? false);
  });
workers
  .command('set-current')
  .description('have what is new begin on a build')
  .option('--build-id <id>', 'the build; this installation’s when left out')
  .option('--ramp <percent>', 'a share of what is new only, 1 to 99')
  .action(async (options: { buildId?: string; ramp?: string }) => {
    const { makeCurrent } = await import('./temporal/workers.ts');
    process.exitCode = await makeCurrent(options, dataDirectory());
  });

addPhoneCommands(program);

// Whoever read what we print may have enough of it: `| head` is no fault.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

await program.parseAsync(understood(program, words), { from: 'user' }).catch((error: unknown) => {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : usageCode;
    if (!isAnswer(error)) process.stderr.write(`${faultOf(error)}\n`);
    return;
  }
  process.stderr.write(`${reasonOf(error).split('\n').map(printable).join('\n')}\n`);
  process.exitCode = 1;
});

/** What was asked for, help or the version, was printed; so was the help of a group alone. */
function isAnswer({ code }: CommanderError): boolean {
  return code === 'commander.version' || code.startsWith('commander.help');
}

/** The fault, the nearest thing there is, and where the help of what was called is, in one line. */
function faultOf({ message }: CommanderError): string {
  const fault = message.replace(/^error: /, '').replace(/\n\(D(.*)\)$/, '; d$1');
  const called = calledBy(program, words).names.join(' ');
  return `${printable(fault.replace(/[.?]?$/, ''))}; see: npx ${called} --help`;
}
