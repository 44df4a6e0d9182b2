import type { Command } from 'commander';
import { failureHelp } from '../../simulator/failures/failures.ts';
import { dataDirectory } from '../data-directory/data-directory.ts';
import type { CheckCommand, EnrollCommand } from './check.ts';
import type { DocumentCommand } from './document.ts';
import type { BundleCommand, LoginCommand } from './sign-in.ts';

const ofSessions = `
A single-use link has one session, which the phone joins where a page waits with it. On any other
link it joins the page whose #p=… stands in the address (its code to scan and "Copy the link" have
it), and in development a page on this machine, when it is the only one; else it begins a session
of its own, and a page does not see it. The line "session …" says which.
A mailed link is refused without its #t=…, the secret of its recipient: quote it in a shell.
`;
async function withPhone(
  { platform }: { platform: string },
  work: (dataDir: string) => Promise<number>,
): Promise<void> {
  const { withPhoneLock: holdPhone } = await import('./phone-lock.ts');
  const dataDir = dataDirectory();
  // Progress goes to stderr, because stdout may be only a token.
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  process.exitCode = await holdPhone({ dataDir, platform, say }, () => work(dataDir));
}

/** Adds the commands of the simulated phone. */
export function addPhoneCommands(program: Command): void {
  const phone = program.command('phone').description('the mobile app as a program');
  phone
    .command('enroll')
    .description(
      'enroll a phone with soft keys under the development roots, and keep it in place of another',
    )
    .option('--platform <name>', 'ios or android', 'ios')
    .option('--app <app_id>', 'the app it has installed; the seeded one when left out')
    .option('--url <base>', 'the platform; the one started here when left out')
    .option('--token <session>', 'join this session’s person instead of making one')
    .action(async (options: EnrollCommand) => {
      const { enrollFromCommand } = await import('./check.ts');
      await withPhone(options, (dataDir) => enrollFromCommand(options, dataDir));
    });
  phone
    .command('login')
    .description('sign in by the phone’s certified key and print the session token')
    .option('--platform <name>', 'ios or android', 'ios')
    .option('--account <account_id>', 'the account to act in; the only one when left out')
    .option('--app <app_id>', 'the app a new phone has installed; the seeded one when left out')
    .option('--url <base>', 'the platform; the one started here when left out')
    .option('--token <session>', 'a new phone joins this session’s person, in place of a kept one')
    .action(async (options: LoginCommand) => {
      const { loginFromCommand } = await import('./sign-in.ts');
      await withPhone(options, (dataDir) => loginFromCommand(options, dataDir));
    });
  phone
    .command('bundle')
    .description(
      'sign a verification bundle by the phone’s certified key and print it, for step_up',
    )
    .option('--platform <name>', 'ios or android', 'ios')
    .option('--app <app_id>', 'the app a new phone has installed; the seeded one when left out')
    .option('--url <base>', 'the platform; the one started here when left out')
    .action(async (options: BundleCommand) => {
      const { bundleFromCommand } = await import('./sign-in.ts');
      await withPhone(options, (dataDir) => bundleFromCommand(options, dataDir));
    });
  phone
    .command('check')
    .description('run a trust check from its link')
    .argument('<link>', 'the address of the link; of a mailed one with the #t=… at its end')
    .option('--platform <name>', 'ios or android', 'ios')
    .option('--number <e164>', 'the phone number to give', '+4915112345678')
    .option('--document <kind>', 'passport, identity_card or driving_licence, before the camera')
    .option('--fail <how>', 'go wrong on purpose, as below')
    .addHelpText('after', `\n${failureHelp()}\n${ofSessions}`)
    .action(async (link: string, options: CheckCommand) => {
      const { checkFromCommand } = await import('./check.ts');
      await withPhone(options, (dataDir) => checkFromCommand(link, options, dataDir));
    });
  phone
    .command('document')
    .description('draw a specimen document to show to a camera')
    .option(
      '--portrait <file>',
      'a picture of your face to print on it; that of the specimen when left out',
    )
    .option('--document <kind>', 'passport, identity_card or driving_licence', 'passport')
    .option('--out <folder>', 'a folder for the pictures', '.')
    .action(async (options: DocumentCommand) => {
      const { documentFromCommand } = await import('./document.ts');
      process.exitCode = await documentFromCommand(options);
    });
}
