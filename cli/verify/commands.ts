import type { Command } from 'commander';
import { collectOption } from '../command-line/collect-option.ts';
import { dataDirectory } from '../data-directory/data-directory.ts';
import type { VerifyOptions } from './verify.ts';

/** Adds `verify` and `audit verify`. */
export function addVerifyCommands(program: Command): void {
  program
    .command('verify')
    .description('verify an affidavit: exit 0 valid, 2 invalid, 3 indeterminate, 1 no verdict')
    .argument('<file>', 'the PDF; another file is invalid, an unreadable file gets no verdict')
    .option(
      '--root <pem>',
      'a trusted root certificate, repeatable; default: that of the local platform',
      collectOption,
    )
    .option(
      '--crl <file>',
      'a current revocation list, PEM or DER; one of each authority',
      collectOption,
    )
    .option(
      '--tsa-root <pem>',
      'a root of an outside time stamp authority, trusted only for the time stamp of the seal',
      collectOption,
    )
    .option('--at <instant>', 'the time of verification, ISO 8601; default: now')
    .option('--evidence <file>', 'exported evidence, to compare with the hashes in the affidavit')
    .option('--proof <file>', 'the .tlog-proof, to verify that the affidavit is in the public log')
    .option('--log-key <key>', 'the key of the trusted log, as "trustcheck keys log" prints it')
    .option(
      '--witness-key <key>',
      'the key of a witness that must have signed, repeatable',
      collectOption,
    )
    .option('--log-checkpoint <file>', 'a known checkpoint; the log proof must not be older')
    .option('--log-tiles <place>', 'tiles of the log (URL or folder): is its growth consistent?')
    .option('--json', 'print the whole verdict as JSON')
    .action(async (file: string, options: VerifyOptions) => {
      const { verify } = await import('./verify.ts');
      process.exitCode = await verify(file, options, dataDirectory());
    });
  const audit = program.command('audit').description('who changed what of an account');
  audit
    .command('verify')
    .description('verify the audit logs: exit 0 when all are valid, 1 with the first invalid row')
    .option('--account <account_id>', 'of this account alone')
    .action(async ({ account }: { account?: string }) => {
      const { verifyAuditLogs } = await import('./verify-audit.ts');
      process.exitCode = await verifyAuditLogs(account, dataDirectory());
    });
}
