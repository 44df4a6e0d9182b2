import type { Command } from 'commander';

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
