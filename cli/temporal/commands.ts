import type { Command } from 'commander';
import { dataDirectory } from '../data-directory/data-directory.ts';

/** Adds the commands that prepare a Temporal server for this service. */
export function addTemporalCommands(program: Command): void {
  const temporal = program.command('temporal').description('prepare a Temporal server');
  temporal
    .command('prepare')
    .description('make the namespace and the search attributes at TEMPORAL_ADDRESS')
    .action(async () => {
      const { prepareTemporal } = await import('./prepare.ts');
      process.exitCode = await prepareTemporal();
    });
  temporal
    .command('certificates')
    .description('make or renew the certificates of mutual TLS, in ca/, server/ and client/')
    .argument('<directory>', 'where the three folders are')
    .option('--host <name...>', 'names of the server', ['temporal'])
    .action(async (directory: string, { host }: { host: string[] }) => {
      const { makeTemporalCertificates } = await import('./certificates.ts');
      const written = await makeTemporalCertificates(directory, host, new Date());
      for (const path of written) process.stdout.write(`${path}\n`);
    });
}

/** Adds the commands that show and select the builds of the workers. */
export function addWorkerCommands(program: Command): void {
  const workers = program
    .command('workers')
    .description('builds of the workers at the workflow server of TEMPORAL_ADDRESS');
  workers
    .command('versions')
    .description('print the builds, whether they are current, ramp or drain, and their workers')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { printVersions } = await import('./workers.ts');
      process.exitCode = await printVersions(dataDirectory(), json ?? false);
    });
  workers
    .command('set-current')
    .description('make a build the one on which new workflows begin')
    .option('--build-id <id>', 'the build; this installation’s when left out')
    .option('--ramp <percent>', 'a share of what is new only, 1 to 99')
    .action(async (options: { buildId?: string; ramp?: string }) => {
      const { makeCurrent } = await import('./workers.ts');
      process.exitCode = await makeCurrent(options, dataDirectory());
    });
}
