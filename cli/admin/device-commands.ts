import type { Command } from 'commander';

/** Adds the admin commands for devices. */
export function addDeviceCommands(admin: Command, dataDirectory: () => string): void {
  admin
    .command('revoke-device')
    .description('revoke a device for fraud, have its vendor flag the phone, and print the result')
    .argument('<device_id>', 'dev_…')
    .action(async (deviceId: string) => {
      const { administer } = await import('./admin-command.ts');
      const { revokeForFraud } = await import('./revoke-device.ts');
      process.exitCode = await administer(dataDirectory(), (db, now) =>
        revokeForFraud(db, deviceId, now),
      );
    });
  admin
    .command('recover')
    .description(
      'let a member whom you have identified enroll a new device, and print the recovery id',
    )
    .argument('<poly_user_id>', 'pu_…')
    .requiredOption('--account <account_id>', 'the account')
    .action(async (polyUserId: string, { account }: { account: string }) => {
      const { administer, localSealer } = await import('./admin-command.ts');
      const { recoverPerson } = await import('./recover.ts');
      const directory = dataDirectory();
      process.exitCode = await administer(directory, (db, now) =>
        recoverPerson(db, { polyUserId, account }, localSealer(directory, db), now),
      );
    });
}
