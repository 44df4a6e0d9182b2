import type { Command } from 'commander';
import { collectOption } from '../command-line/collect-option.ts';
import { namedDataDirectory } from '../data-directory/data-directory.ts';

interface KeyOptions {
  readonly account: string;
  readonly key?: readonly string[];
}

const accountOption = ['--account <account_id>', 'the account whose audit log records it'] as const;

const loadChanges = async () => ({
  ...(await import('../admin/admin-command.ts')),
  ...(await import('./change-keys.ts')),
  ...(await import('./change-master-secret.ts')),
});

/** Compares the name here, because the master secret's own module loads much more. */
const isSecret = (name: string): boolean => name === 'master-secret';

/** Adds the admin commands that replace and revoke the platform's keys. */
export function addKeyChangeCommands(admin: Command, dataDirectory: () => string): void {
  const keys = admin
    .command('keys')
    .description('publish, replace and revoke keys in DATA_DIR/keys');
  const key = ['--key <[name=]place>', 'a new key that AWS KMS or a token holds; or file'] as const;
  const optionsOf = async ({ account: id, key: named = [] }: KeyOptions) => {
    const { publicAddress } = await import('../admin/admin-command.ts');
    const dataDir = dataDirectory();
    return { dataDir, account: id, keys: named, baseUrl: await publicAddress(dataDir) };
  };
  addCeremony(keys, dataDirectory);
  addRemoval(keys, dataDirectory);
  keys
    .command('publish')
    .description('publish the next key, which rotate puts in place later; print each by its id')
    .argument('<name>', 'people-ca, services-ca, tokens, master-secret; CAs take the root’s key')
    .requiredOption(...accountOption)
    .option(...key, collectOption)
    .action(async (name: string, options: KeyOptions) => {
      const { administer, publish, publishMasterSecret } = await loadChanges();
      const given = { ...(await optionsOf(options)), name };
      const work = isSecret(name) ? publishMasterSecret : publish;
      const code = await administer(given.dataDir, (db, now) => work(db, given, now));
      process.exitCode = await follow(given.dataDir, code);
    });
  keys
    .command('rotate')
    .description('replace a key by its next one, and print each new one by its id')
    .argument('<name>', 'people-ca, services-ca, tokens or master-secret, published; seal or tsa')
    .requiredOption(...accountOption)
    .option(...key, collectOption)
    .action(async (name: string, options: KeyOptions) => {
      const { administer, rotate, rotateMasterSecret } = await loadChanges();
      const given = { ...(await optionsOf(options)), name };
      const work = isSecret(name) ? rotateMasterSecret : rotate;
      const code = await administer(given.dataDir, (db, now) => work(db, given, now));
      process.exitCode = await follow(given.dataDir, code);
    });
  keys
    .command('compromise')
    .description('revoke a stolen key, replace it, and print each new key')
    .argument('<name>', 'any of these names; CAs take the root’s key')
    .requiredOption('--since <instant>', 'since when it is not to be trusted')
    .requiredOption(...accountOption)
    .option(...key, collectOption)
    .action(async (name: string, options: KeyOptions & { since: string }) => {
      const { administer, compromise, compromiseMasterSecret } = await loadChanges();
      const given = { ...(await optionsOf(options)), name, since: options.since };
      const work = isSecret(name) ? compromiseMasterSecret : compromise;
      const code = await administer(given.dataDir, (db, now) => work(db, given, now));
      process.exitCode = await follow(given.dataDir, code);
    });
  keys
    .command('revoke <serial>')
    .description('revoke one certificate by its serial in hex, and print that')
    .requiredOption('--reason <reason>', 'unspecified, superseded or compromised')
    .option('--since <instant>', 'since when it is not to be trusted, of a stolen key')
    .requiredOption(...accountOption)
    .action(async (serial: string, options: KeyOptions & { reason: string; since?: string }) => {
      const { administer, revoke } = await loadChanges();
      const given = { ...options, dataDir: dataDirectory(), serial };
      process.exitCode = await administer(given.dataDir, (db, now) => revoke(db, given, now));
    });
}

/** Adds the command that removes versions of the master secret. */
function addRemoval(keys: Command, dataDirectory: () => string): void {
  keys
    .command('remove <version>')
    .description('remove a retired version of master-secret that is no longer used')
    .requiredOption(...accountOption)
    .action(async (version: string, options: KeyOptions) => {
      const { administer, removeMasterSecret } = await loadChanges();
      const given = { dataDir: dataDirectory(), account: options.account, version };
      const code = await administer(given.dataDir, (db, now) => removeMasterSecret(db, given, now));
      process.exitCode = await follow(given.dataDir, code);
    });
}

/** Copies a change to the keys of the API. */
async function follow(dataDir: string, code: number): Promise<number> {
  const { followApiKeys } = await import('./copy-api-keys.ts');
  return followApiKeys(dataDir, code);
}

const initSettings = `
Settings, from the environment:
  DATA_DIR         the data directory of the service; the keys go into its directory "keys"
  KEYS_PASSPHRASE  encrypts the key files; at least 16 characters
  BASE_URL         the public address of the service: https:, or http: on this machine
  API_KEYS_DIR     optional: a directory that gets the part of the keys that an API needs`;

/** Adds the commands that create, list and store the keys. */
function addCeremony(keys: Command, dataDirectory: () => string): void {
  keys
    .command('init')
    .description('make the keys of a production platform, the root apart from the others')
    .requiredOption('--root <directory>', 'where the root’s key goes, outside of DATA_DIR')
    .requiredOption('--name <name>', 'the name of the root, as people see it in certificates')
    .option('--key <name=place>', 'a key that AWS KMS or a token holds already', collectOption)
    .addHelpText('after', initSettings)
    .action(async ({ root, name, key }: { root: string; name: string; key?: string[] }) => {
      const { publicAddress } = await import('../admin/admin-command.ts');
      const { initKeys } = await import('./init-keys.ts');
      const dataDir = namedDataDirectory();
      const baseUrl = await publicAddress(dataDir);
      const given = { dataDir, baseUrl, rootDirectory: root, name, keys: key ?? [] };
      process.exitCode = await follow(dataDir, await initKeys(given, new Date()));
    });
  keys
    .command('copy-for-api')
    .description('copy the part of DATA_DIR/keys that an API needs; API_KEYS_DIR repeats it')
    .argument('<directory>', 'the `keys` of the DATA_DIR of the API')
    .action(async (directory: string) => {
      const { copyApiKeys } = await import('./copy-api-keys.ts');
      process.exitCode = await copyApiKeys(dataDirectory(), directory);
    });
  keys
    .command('list')
    .description('print the keys that sign, the published next ones and the retired ones as JSON')
    .action(async () => {
      const { administer } = await import('../admin/admin-command.ts');
      const { listKeys } = await import('./list-keys.ts');
      process.exitCode = await administer(dataDirectory(), (db) => listKeys(db, dataDirectory()));
    });
  keys
    .command('sign-root-list')
    .description(
      'sign the root’s revocation list anew, print until when it is good; takes the root’s key',
    )
    .action(async () => {
      const { administer } = await import('../admin/admin-command.ts');
      const { signRootList } = await import('./sign-root-list.ts');
      const dataDir = dataDirectory();
      const code = await administer(dataDir, (db, now) => signRootList(db, dataDir, now));
      process.exitCode = await follow(dataDir, code);
    });
}
