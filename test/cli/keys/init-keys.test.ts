import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentOf, rotatableKeys } from '../../../activities/keys/changes/rotate-keys.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { refuseDevelopment } from '../../../activities/keys/directory/production-faults.ts';
import { localSealer } from '../../../cli/admin/admin-command.ts';
import type { Db } from '../../../db/client.ts';
import { commandHere } from '../../support/commands/command-here.ts';
import { makeSoftToken, softTokenFault } from '../../support/keys/soft-token.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { kmsSettings, startKms, type KmsStandIn } from '../../support/stand-ins/keys/kms.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-init-'));
const KEYS_PASSPHRASE = 'a passphrase that is kept elsewhere';
const good = { BASE_URL: 'https://trust.example.test', KEYS_PASSPHRASE };
const remedy = 'remove it, or make a directory for an API by admin keys copy-for-api';
let db: Db;
let url: string;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ db, url, drop } = await createDatabase(ownPlatform().databaseUrl));
});
afterAll(async () => {
  await drop();
  rmSync(directory, { recursive: true, force: true });
});

const init = (
  dataDir: string,
  root: string,
  env: Record<string, string> = good,
  name = 'Example',
  keys: readonly string[] = [],
) =>
  commandHere(
    join(directory, dataDir),
    ['admin', 'keys', 'init', '--root', join(directory, root), '--name', name].concat(
      keys.flatMap((key) => ['--key', key]),
    ),
    env,
  );

describe('admin keys init', () => {
  it('creates keys that production accepts, and stores the root key elsewhere', async () => {
    const { code, stdout, stderr } = await init('data', 'offline');
    expect([code, stderr]).toEqual([0, '']);
    const keys = join(directory, 'data', 'keys');
    expect(readdirSync(join(directory, 'offline'))).toEqual(['root.key.pem']);
    for (const file of ['root.key.pem', 'passphrase.secret']) {
      expect(existsSync(join(keys, file))).toBe(false);
    }
    for (const file of readdirSync(keys).filter((each) => each.endsWith('.key.pem'))) {
      expect(readFileSync(join(keys, file), 'utf8')).toContain('ENCRYPTED');
    }
    const place = { directory: keys, passphrase: KEYS_PASSPHRASE };
    expect(loadKeys(place).root.certificate.subject).toBe('CN=Example');
    const MASTER_KEY = /^MASTER_KEY=(m1:.{44})$/m.exec(stdout)?.[1] ?? '';
    const CODEC_KEY = /^CODEC_KEY=(c1:.{44})$/m.exec(stdout)?.[1] ?? '';
    await refuseDevelopment({ PROFILE: 'production', MASTER_KEY, CODEC_KEY }, place, db);
    // Admin commands wrap with the same key as the processes.
    Object.assign(process.env, { MASTER_KEY, KEYS_PASSPHRASE });
    try {
      await localSealer(join(directory, 'data'), db).seal('account:1', 'test', 'a text');
    } finally {
      delete process.env['MASTER_KEY'];
      delete process.env['KEYS_PASSPHRASE'];
    }
    const { rows } = await db.query('SELECT DISTINCT wrapped_by FROM data_keys');
    expect(rows).toEqual([{ wrapped_by: 'm1' }]);
    const again = await init('data', 'elsewhere');
    expect([again.code, again.stderr]).toEqual([
      1,
      `${keys}: is not empty; the keys of a platform are made once\n`,
    ]);
    expect(existsSync(join(directory, 'elsewhere'))).toBe(false);
  });

  it('creates keys, and a production API refuses those that it does not use', async () => {
    const dataDir = join(directory, 'data');
    const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
    const env = {
      ...good,
      DATA_DIR: dataDir,
      DATABASE_URL: url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      MASTER_KEY: key('m1'),
      CODEC_KEY: key('c1'),
      TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
      TWILIO_AUTH_TOKEN: '0'.repeat(32),
      TWILIO_FROM: '+4915112345678',
    };
    const entry = fileURLToPath(new URL('../../../api/main.ts', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [entry], {
      env,
      encoding: 'utf8',
      timeout: 60_000,
    });
    const unused = ['people-ca', 'seal', 'services-ca', 'tsa'];
    expect([status, stderr]).toEqual([
      1,
      unused
        .map((name) => join(dataDir, 'keys', `${name}.key.pem`))
        .map((path) => `${path}: this process does not use this private key; ${remedy}\n`)
        .join(''),
    ]);
  });

  it('fills an empty volume', async () => {
    const volume = join(directory, 'volume', 'keys');
    mkdirSync(volume, { recursive: true, mode: 0o700 });
    expect((await init('volume', 'offline-volume')).code).toBe(0);
    expect(loadKeys({ directory: volume, passphrase: KEYS_PASSPHRASE }).next).toEqual([]);
  });

  it.each([
    ['without a passphrase', 'offline-2', { ...good, KEYS_PASSPHRASE: '' }, 'Example', 'KEYS_PASS'],
    ['with a root inside of DATA_DIR', 'none/root', good, 'Example', '--root: must be outside'],
    [
      'by http of another machine',
      'offline-2',
      { ...good, BASE_URL: 'http://example.test' },
      'Example',
      'BASE_URL:',
    ],
    ['for the name of development', 'offline-2', good, 'trustcheck development root', '--name:'],
  ])('refuses a ceremony %s, and writes nothing', async (_how, root, env, name, why) => {
    const { code, stdout, stderr } = await init('none', root, env, name);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(why)]);
    expect(existsSync(join(directory, 'none', 'keys'))).toBe(false);
    expect(existsSync(join(directory, root))).toBe(false);
  });
});

describe('the settings of admin keys init', () => {
  it('are refused without DATA_DIR, since the checkout is no place for production keys', async () => {
    const root = join(directory, 'offline-unnamed');
    const words = ['admin', 'keys', 'init', '--root', root, '--name', 'Example'];
    const { code, stdout, stderr } = await commandHere('', words, good);
    const line = 'set DATA_DIR to the data directory of the service\n';
    expect([code, stdout, stderr]).toEqual([1, '', line]);
    expect(existsSync(root)).toBe(false);
  });

  it('are accepted with a BASE_URL on this machine, as those of the service are', async () => {
    const env = { ...good, BASE_URL: 'http://127.0.0.1:8080' };
    const { code, stderr } = await init('local', 'offline-local', env);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('are named by --help', async () => {
    const { stdout } = await commandHere('', ['admin', 'keys', 'init', '--help']);
    for (const name of ['DATA_DIR', 'KEYS_PASSPHRASE', 'BASE_URL']) expect(stdout).toContain(name);
  });
});

describe('admin keys init with keys held by AWS KMS', () => {
  let kms: KmsStandIn;
  beforeAll(async () => {
    kms = await startKms(() => new Date());
  });
  afterAll(() => kms.stop());
  const env = () => ({ ...good, ...kmsSettings(kms) });

  it('certifies each named key, creates the others, and signs with every key', async () => {
    const held = rotatableKeys.map((name) => [name, kms.makeKey()] as const);
    const words = held.map(([name, { arn }]) => `${name}=awskms:///${arn}`);
    const { code, stdout, stderr } = await init('kms', 'offline-kms', env(), 'Example', words);
    expect([code, stderr]).toEqual([0, '']);
    const keys = join(directory, 'kms', 'keys');
    expect(readdirSync(keys).filter((file) => file.endsWith('.key.pem'))).toHaveLength(5);
    expect(readdirSync(join(directory, 'offline-kms'))).toEqual(['root.key.pem']);
    const loaded = loadKeys({ directory: keys, passphrase: KEYS_PASSPHRASE });
    for (const [name, { arn, privateKey }] of held) {
      expect(readFileSync(join(keys, `${name}.key.pem`), 'utf8')).toBe(`awskms:///${arn}\n`);
      expect(stdout).toContain(`awskms:///${arn}`);
      expect(currentOf(loaded, name).certificate.checkPrivateKey(privateKey)).toBe(true);
    }
  });

  it.each([
    ['a key that KMS has disabled', ['seal'], 'seal: arn:', 'DisabledException', 1],
    ['one key under two names', ['seal', 'tsa'], '--key: one key is named for two', '', 1],
    ['a key without a name', [''], '--key: begins with one of people-ca=', '', 1],
    ['the same name twice', ['seal', 'seal'], '--key: seal is named twice', '', 1],
  ])('refuses %s, and writes nothing', async (what, names, why, more, wanted) => {
    const key = kms.makeKey();
    if (what.includes('disabled')) key.state = 'Disabled';
    const words = names.map((name) => `${name}${name && '='}awskms:///${key.arn}`);
    mkdirSync(join(directory, 'refused', 'keys'), { recursive: true, mode: 0o700 });
    const { code, stdout, stderr } = await init('refused', 'offline-2', env(), 'Example', words);
    expect([code, stdout, stderr]).toEqual([wanted, '', expect.stringContaining(why)]);
    expect(stderr).toContain(more);
    expect(readdirSync(join(directory, 'refused', 'keys'))).toEqual([]);
    expect(existsSync(join(directory, 'offline-2'))).toBe(false);
  });

  it.each([
    ['into a new directory', 'late', false],
    ['into an empty volume', 'late-volume', true],
  ])('removes what it wrote %s when the last step fails', async (_how, dataDir, isMounted) => {
    const key = kms.makeKey();
    const keys = join(directory, dataDir, 'keys');
    if (isMounted) mkdirSync(keys, { recursive: true, mode: 0o700 });
    // Simulates an operator who disables the key after the files are written, before each key
    // signs.
    const state = () => (existsSync(join(keys, 'seal.cer.pem')) ? 'Disabled' : 'Enabled');
    Object.defineProperty(key, 'state', { get: state });
    const offline = `offline-${dataDir}`;
    const [root, words] = [join(offline, 'root'), [`seal=awskms:///${key.arn}`]];
    const { code, stdout, stderr } = await init(dataDir, root, env(), 'Example', words);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('DisabledException')]);
    expect(existsSync(join(directory, offline))).toBe(false);
    expect(existsSync(join(directory, dataDir))).toBe(isMounted);
    if (isMounted) expect(readdirSync(keys)).toEqual([]);
    Object.defineProperty(key, 'state', { value: 'Enabled' });
    const again = await init(dataDir, root, env(), 'Example', words);
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(readdirSync(join(directory, root))).toEqual(['root.key.pem']);
  });
});

describe.skipIf(softTokenFault)('admin keys init with a key held by a token', () => {
  it('refers to the key by its URI and signs by it', async () => {
    const token = makeSoftToken(directory);
    token.addKey('seal', '01');
    const place = `pkcs11:token=${encodeURIComponent(token.label)};object=seal`;
    const env = {
      ...good,
      KEYS_PKCS11_MODULE: token.module,
      KEYS_PKCS11_PIN: token.pin,
    };
    const made = await init('token', 'offline-token', env, 'Example', [`seal=${place}`]);
    expect([made.code, made.stderr]).toEqual([0, '']);
    const file = join(directory, 'token', 'keys', 'seal.key.pem');
    expect(readFileSync(file, 'utf8')).toMatch(/^pkcs11:token=.*object=seal;type=private\n$/);
    expect(made.stdout).not.toContain(token.pin);
    token.stop();
  });
});
