import type { Command } from 'commander';

/** Adds the admin commands for stopped SMS routes. */
export function addSmsStopCommands(admin: Command, dataDirectory: () => string): void {
  const stops = admin
    .command('sms-stops')
    .description('countries and prefixes without codes, because almost no code was typed');
  stops
    .command('list')
    .description('print up to 100 stops as JSON, the oldest first')
    .action(async () => {
      const { administer } = await import('./admin-command.ts');
      const { smsStops } = await import('./sms-stops.ts');
      process.exitCode = await administer(dataDirectory(), smsStops);
    });
  stops
    .command('lift')
    .description('send codes there again, and print the route')
    .argument('<route>', 'account:7:country:DE, prefix:+4916012')
    .action(async (route: string) => {
      const { administer } = await import('./admin-command.ts');
      const { endSmsStop } = await import('./sms-stops.ts');
      process.exitCode = await administer(dataDirectory(), (db, now) => endSmsStop(db, route, now));
    });
}
