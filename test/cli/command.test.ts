import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compiledDirectory } from '../../cli/platform/cache.ts';
import { findProcesses } from '../../cli/platform/platform-processes.ts';
import { commandHere } from '../support/commands/command-here.ts';
import { ownDirectory, trustcheck } from '../support/commands/run-command.ts';
import { eventually } from '../support/platform/harness.ts';
import { likePart } from './platform/like-part.ts';

let directory = { path: '', remove: async (): Promise<void> => undefined };
let state = '';
beforeEach(async () => {
  directory = await ownDirectory();
  state = join(directory.path, 'state');
});
afterEach(() => directory.remove());

const [nowhere, noDatabase] = ['127.0.0.1:1', { DATABASE_ADMIN_URL: 'not-an-address' }];
const run = (flags: readonly string[], env?: Record<string, string>) =>
  flags[0] === 'start' ? trustcheck(state, flags, env).ended : commandHere(state, flags, env);

describe('trustcheck', () => {
  it.each([
    ['', ['--unknown'], "unknown option '--unknown'"],
    ['', ['unknown'], "unknown command 'unknown'"],
    ['', ['links', '--help'], "unknown command 'links'"],
    [' phone', ['phone', 'chekc', '-h'], "unknown command 'chekc'; did you mean check"],
    [' start', ['start', '--onse'], "unknown option '--onse'; did you mean --once; see"],
    [' start', ['start', 'now'], 'too many arguments'],
    [
      ' start',
      ['start', '--once', '--no-check'],
      '--once runs the check that --no-check leaves out',
    ],
    [' status', ['status', '--jsn'], "unknown option '--jsn'"],
    [' verify', ['verify'], "missing required argument 'file'"],
    [' verify', ['verify', '--root'], "option '--root <pem>' argument missing"],
    [' phone', ['phone', 'chekc'], "unknown command 'chekc'; did you mean check"],
    [' phone check', ['phone', 'check'], "missing required argument 'link'"],
    [' phone check', ['phone', 'check', 'x', '--fail'], "'--fail <how>' argument missing"],
    [' phone check', ['phone', 'check', '--numbre', '1', 'x'], "unknown option '--numbre'"],
    [' evidence verify', ['evidence', 'verify', 'status', 'verify'], 'too many arguments'],
    [' admin account', ['admin', 'account'], "required option '--name <name>' not specified"],
    [' admin app', ['admin', 'app', 'x'], "required option '--account <account_id>' not specified"],
    [' evidence export', ['evidence', 'export'], "missing required argument 'link_session_id'"],
    [' verify', ['verify', '--x\u001b[2J\u202e'], "unknown option '--x[U+001B][2J[U+202E]'"],
  ])('refers to the help of%s in one line for %j', async (called, flags, fault) => {
    const { code, stdout, stderr } = await run(flags);
    // For `verify`, exit code 2 is a verdict.
    expect([code, stdout]).toEqual([flags[0] === 'verify' ? 1 : 2, '']);
    expect(stderr).toMatch(/^.+\n$/);
    expect(stderr.endsWith(`; see: npx trustcheck${called} --help\n`), stderr).toBe(true);
    expect(stderr).toContain(fault);
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it.each([[[]], [['phone']], [['keys']], [['admin']]])(
    'lists its commands and exits 2 when called with %j',
    async (flags) => {
      const { code, stdout, stderr } = await run(flags);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^Usage: trustcheck[^]*\nCommands:/);
    },
  );

  it.each([
    ['test/campaigns/bench/run.ts', ['--wrong'], "Unknown option '--wrong'"],
    ['test/campaigns/bench/run.ts', ['P99'], 'P99: one of P1, P2, P3, P4'],
    ['test/campaigns/chaos/run.ts', ['--wrong'], "Unknown option '--wrong'"],
    ['test/campaigns/chaos/run.ts', ['--rounds', 'x'], '--rounds: a number from 1 to 100'],
    ['test/campaigns/simulator/run.ts', ['clone'], 'clone: one of emulator, '],
    ['test/campaigns/documents/run.ts', ['130'], '130: this takes no words'],
    ['test/campaigns/faces/run.ts', ['all'], 'all: one of simulated'],
    ['test/campaigns/validators/run.ts', ['no.pdf'], 'an affidavit and a root'],
    ['test/run.ts', ['--bogus'], "Unknown option '--bogus'"],
    ['test/run.ts', ['--whole', '--uncached'], '--whole, --uncached or --scaled'],
    ['test/run.ts', ['test/nowhere'], 'test/nowhere: no test has it in its path'],
    ['test/histories/record.ts', ['--wrong'], '--wrong: npm run histories takes no words'],
    ['api/openapi/write-documents.ts', ['--wrong'], '--wrong: npm run openapi takes no words'],
    ['test/support/runner/write-settings.ts', ['--wrong'], 'npm run settings takes no arguments'],
  ])('rejects arguments of %s in one line: %j', async (script, flags, fault) => {
    const path = new URL(`../../${script}`, import.meta.url).pathname;
    const env = { ...process.env, NODE_COMPILE_CACHE: compiledDirectory() };
    const ran = spawnSync(process.execPath, [path, ...flags], { encoding: 'utf8', env });
    expect([ran.status, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toMatch(/^.+\n$/);
    expect(ran.stderr).toContain(fault);
  });

  it('test/campaigns/validators/run.ts exits 3 and says why when no validator can run', () => {
    const path = new URL('../campaigns/validators/run.ts', import.meta.url).pathname;
    const env = { PATH: '', XDG_CACHE_HOME: join(directory.path, 'cache') };
    const ran = spawnSync(process.execPath, [path, path, path], { encoding: 'utf8', env });
    expect([ran.status, /^(– .*does not run.*\n){4}$/.test(ran.stdout)]).toEqual([3, true]);
  });

  it('prints the version of the package for --version', async () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('exits 0 for --help', async () => {
    const { code, stdout, stderr } = await run(['start', '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/--once[^]*--no-check/);
  });
});

describe('stop', () => {
  it('exits 0 with one line when nothing runs', async () => {
    expect(await run(['stop'])).toEqual({ code: 0, stdout: 'nothing runs here\n', stderr: '' });
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it('ends what a killed start left running', async () => {
    const left = likePart('worker', state);
    const gone = new Promise((resolve) => left.once('exit', resolve));
    await eventually('the part', async () => findProcesses(state).length === 1);
    const stderr = `what started it was killed; left running: worker (process ${left.pid}); `;
    expect(await run(['status'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${stderr}end it: npm run stop\n`,
    });
    const stopped = { code: 0, stdout: 'stopped what was left running\n', stderr: '' };
    expect(await run(['stop'])).toEqual(stopped);
    await gone;
    expect(readdirSync(directory.path)).toEqual([]);
  });
});

describe('status', () => {
  const stderr = 'nothing has been started here; run: npm start\n';

  it('exits 1 with the next step when nothing was started', async () => {
    expect(await run(['status'])).toEqual({ code: 1, stdout: '', stderr });
    const asJson = await run(['status', '--json']);
    expect([asJson.code, JSON.parse(asJson.stdout), asJson.stderr]).toEqual([
      1,
      { running: false },
      stderr,
    ]);
  });

  it('exits 1 with a remedy for a damaged file, also with --json', async () => {
    mkdirSync(state);
    writeFileSync(join(state, 'status.json'), '{"base_url":');
    const damaged = await run(['status', '--json']);
    expect([damaged.code, JSON.parse(damaged.stdout)]).toEqual([1, { running: false }]);
    expect(damaged.stderr).toBe(
      `${join(state, 'status.json')} is not JSON: remove it, or run npm run reset\n`,
    );
  });
});

/** Unfinished files that killed starts leave, and a file of another program. */
const drafts = ['keys.0123456789ab.tmp', 'dev-trust.4711.tmp', 'seed.json.tmp', 'status.json.tmp'];
function leaveDrafts(): void {
  for (const name of drafts.slice(0, 2)) {
    mkdirSync(join(state, name), { recursive: true });
    writeFileSync(join(state, name, 'root.key.pem'), 'secret');
  }
  for (const name of [...drafts.slice(2), 'mine.tmp']) writeFileSync(join(state, name), 'secret');
}

describe('reset', () => {
  it('does nothing when nothing was started', async () => {
    expect(await run(['reset'])).toEqual({ code: 0, stdout: 'forgotten\n', stderr: '' });
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it('deletes the files of the platform and nothing else', async () => {
    mkdirSync(join(state, 'postgres'), { recursive: true });
    mkdirSync(join(state, 'notes'));
    for (const name of ['seed.json', 'postgres/PG_VERSION', 'temporal.db', 'notes/mine.txt']) {
      writeFileSync(join(state, name), 'x');
    }
    leaveDrafts();
    const { code } = await run(['reset']);
    expect(code).toBe(0);
    expect(readdirSync(state)).toEqual(['mine.tmp', 'notes']);
    expect(readdirSync(join(state, 'notes'))).toEqual(['mine.txt']);
  });

  it('leaves a database that DATABASE_ADMIN_URL names, and says so', async () => {
    const { stdout } = await run(['reset'], { DATABASE_ADMIN_URL: 'postgres://127.0.0.1/x' });
    expect(stdout).toBe('forgotten\nwhat DATABASE_ADMIN_URL names is left as it is\n');
  });
});

describe('a command without what it needs', () => {
  it.each([
    ['no platform', ['keys', 'root'], 'root.cer.pem: does not exist; the first npm start makes it'],
    ['no platform', ['phone', 'check', 'http://127.0.0.1:1/v2/a/b'], 'run: npm start'],
    ['a file for a directory', ['reset'], 'cannot write to '],
    ['a file for a directory', ['start'], 'set DATA_DIR'],
    [
      'damaged keys of the simulator',
      ['phone', 'enroll', '--url', 'http://x', '--app', 'a'],
      'npm run reset',
    ],
  ])('prints one line for %s: %j', async (what, flags, fault) => {
    if (what.startsWith('a file')) writeFileSync(state, '');
    if (what.startsWith('damaged')) {
      mkdirSync(join(state, 'dev-trust'), { recursive: true });
      writeFileSync(join(state, 'dev-trust', 'keys.json'), '{');
    }
    const { code, stdout, stderr } = await run(flags);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^.+\n$/);
    expect(stderr).toContain(fault);
  });
});

it('trustcheck escapes the control characters of an argument in its error', async () => {
  const flags = ['phone', 'check', 'http://127.0.0.1:1/x', '--number', '\u001b[2J\u202e1'];
  const { code, stderr } = await run(flags);
  expect(code).toBe(2);
  expect(stderr).toContain('--number [U+001B][2J[U+202E]1: not an E.164 number');
});

describe('start', () => {
  it('refuses the production profile, because its keys and trust are for development', async () => {
    const { code, stderr } = await run(['start'], { PROFILE: 'production' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^PROFILE is production: npm start is for development.*\n$/);
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it.each([
    ['PORT', 'eighty', 'PORT is not a port'],
    ['POSTGRES_PORT', '65536', 'POSTGRES_PORT is not a port'],
    ['TEMPORAL_UI_PORT', '-1', 'TEMPORAL_UI_PORT is not a port'],
  ])('refuses %s=%s', async (name, value, why) => {
    const { code, stderr } = await run(['start'], { [name]: value });
    expect([code, stderr.split('\n').length]).toEqual([1, 2]);
    expect(stderr).toContain(why);
  });

  it('refuses a directory that it cannot write to', async () => {
    const why = expect.stringMatching(/\/dev\/null\/state.*set DATA_DIR/);
    expect(await trustcheck('/dev/null/state', ['start']).ended).toMatchObject({
      code: 1,
      stderr: why,
    });
  });

  it.runIf(process.platform === 'linux').each([['start'], ['reset']])(
    'refuses a directory that can never be created: %s',
    async (name) => {
      const { code, stdout, stderr } = await trustcheck('/proc/x/y', [name]).ended;
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^cannot write to \/proc\/x\/y \(.+\).*\n$/);
    },
  );

  it
    .runIf(process.platform === 'linux')
    .each([[{ XDG_CACHE_HOME: '/proc/x' }], [{ XDG_CACHE_HOME: '', HOME: '/proc/x' }]])(
    'works without a cache when none can be created: %j',
    async (env) => {
      expect(await run(['--version'], env)).toMatchObject({ code: 0, stderr: '' });
      expect((await run(['doctor'], env)).stdout).toContain(`✓ State directory: ${state}\n`);
      const { code, stderr } = await run(['start'], { ...env, ...noDatabase });
      expect(code).toBe(1);
      expect(stderr).toMatch(/failed: (PostgreSQL|Temporal)\n/);
    },
  );

  it.each([
    [{}, /wrong settings: S3_BUCKET, .*required with the other S3 settings/],
    [
      { S3_BUCKET: 'objects', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'key' },
      /the bucket objects at http:\/\/127\.0\.0\.1:1 does not answer: .*unset the S3 settings/,
    ],
  ])('refuses an object store that does not answer, with %j', async (more, why) => {
    const given = { DATABASE_ADMIN_URL: `postgres://${nowhere}/x`, TEMPORAL_ADDRESS: nowhere };
    const env = { S3_ENDPOINT: `http://${nowhere}`, ...given, ...more };
    const { code, stderr } = await run(['start'], env);
    expect(code).toBe(1);
    expect(stderr).toContain('failed: object store\n');
    expect(stderr).toMatch(why);
  });

  it('prints the failed step and a remedy, and stops what it started', async () => {
    leaveDrafts();
    const { code, stdout, stderr } = await run(['start'], noDatabase);
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`).toContain('DATABASE_ADMIN_URL is not a postgres:// address');
    expect(stderr).toMatch(/failed: PostgreSQL\n.*\nlook for causes with: npx trustcheck doctor/);
    const left = readdirSync(state);
    expect(left).toContain('mine.tmp');
    expect(left.filter((name) => drafts.includes(name))).toEqual([]);
  });
});
