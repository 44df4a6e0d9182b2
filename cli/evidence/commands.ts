import type { Command } from 'commander';
import { collectOption } from '../command-line/collect-option.ts';
import { dataDirectory } from '../data-directory/data-directory.ts';
import type { CoverageOptions } from './evidence-coverage.ts';
import type { EvidenceOptions } from './verify-evidence.ts';

/** Adds `evidence`: exports, verdicts, and the coverage of passports. */
export function addEvidenceCommands(program: Command): void {
  const evidence = program.command('evidence').description('evidence of proofs');
  evidence
    .command('verify')
    .description('verify evidence: exit 0 all passed, 1 failed or inconclusive, 2 not understood')
    .argument('<file>', 'one evidence file or an export, - for standard input')
    .option('--json', 'the whole verdict as JSON; an array where there are several')
    .option('--hash <sha256>', 'an evidence_hash that has to be of some of it', collectOption)
    .action(async (file: string, options: EvidenceOptions) => {
      const { verifyEvidenceFile } = await import('./verify-evidence.ts');
      process.exitCode = await verifyEvidenceFile(file, options);
    });

  evidence
    .command('export')
    .description('print the evidence of a session, one file on each line')
    .argument('<link_session_id>', 'the session')
    .option('--token <credential>', 'an admin’s or the subject’s; the seeded key when left out')
    .option('--url <base>', 'the platform; the one started here when left out')
    .action(async (id: string, options: { token?: string; url?: string }) => {
      const { exportEvidence } = await import('./export-evidence.ts');
      process.exitCode = await exportEvidence(id, options, dataDirectory());
    });

  evidence
    .command('coverage')
    .description('print which States’ passports the master lists can verify, by algorithm and age')
    .option(
      '--master-list <file>',
      'a signed master list, as often as there are some',
      collectOption,
    )
    .option(
      '--root <file>',
      'what its signer was issued by, PEM or DER; one for each list',
      collectOption,
    )
    .option('--at <instant>', 'the instant ages are counted at, ISO 8601')
    .option('--json', 'as JSON')
    .action(async (options: CoverageOptions) => {
      const { reportCoverage } = await import('./evidence-coverage.ts');
      process.exitCode = await reportCoverage(options);
    });
}
