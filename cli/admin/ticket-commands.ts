import type { Command } from 'commander';

/** Adds the admin commands for tickets. */
export function addTicketCommands(admin: Command, dataDirectory: () => string): void {
  const accountOption = ['--account <account_id>', 'the account'] as const;
  const tickets = admin.command('tickets').description('what people have reported to an account');
  tickets
    .command('list')
    .description('print up to 100 tickets as JSON, the oldest first')
    .requiredOption(...accountOption)
    .option('--status <status>', 'open or closed', 'open')
    .action(async (options: { account: string; status: string }) => {
      const { administer, localSealer } = await import('./admin-command.ts');
      const { ticketsOf } = await import('./tickets.ts');
      const directory = dataDirectory();
      process.exitCode = await administer(directory, (db, now) =>
        ticketsOf(db, options, localSealer(directory, db), now),
      );
    });
  tickets
    .command('close')
    .description('close an open ticket and print its id')
    .argument('<ticket_id>', 'its id')
    .requiredOption(...accountOption)
    .action(async (ticketId: string, { account }: { account: string }) => {
      const { administer } = await import('./admin-command.ts');
      const { closeTicketOf } = await import('./tickets.ts');
      process.exitCode = await administer(dataDirectory(), (db, now) =>
        closeTicketOf(db, { account, ticketId }, now),
      );
    });
}
