import { expect, it, describe, afterAll, beforeAll } from 'vitest';
import { ownPlatform } from '../own-platform.ts';
import { ownDirectory, trustcheck } from './run-command.ts';

const { temporalAddress } = ownPlatform();
let directory: Awaited<ReturnType<typeof ownDirectory>>;
beforeAll(async () => {
  directory = await ownDirectory();
});
afterAll(() => directory.remove());

const workers = (
  words: readonly string[],
  env: Readonly<Record<string, string>> = { TEMPORAL_ADDRESS: temporalAddress },
) => trustcheck(directory.path, ['workers', ...words], env).ended;

describe('trustcheck workers', () => {
  const none = 'f'.repeat(64);
  it.each([
    ['no build id', ['--build-id', 'latest'], /^--build-id: 64 hexadecimal digits, .+\n$/],
    ['a long build id', ['--build-id', `${none}f`], /^--build-id: 64 hexadecimal digits, .+\n$/],
    ['nothing', ['--ramp', '0'], /^--ramp: a whole number from 1 to 99; .+\n$/],
    ['all', ['--ramp', '100'], /^--ramp: a whole number from 1 to 99; .+\n$/],
    ['more than all', ['--ramp', '101'], /^--ramp: a whole number from 1 to 99; .+\n$/],
    ['a part of a hundredth', ['--ramp', '1.5'], /^--ramp: a whole number from 1 to 99; .+\n$/],
  ])('refuses %s in one line', async (_, words, line) => {
    const { code, stdout, stderr } = await workers(['set-current', ...words]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(line);
  });

  it('makes no build current that has never worked here', async () => {
    const ramp = await workers(['set-current', '--build-id', none, '--ramp', '1']);
    const reason = `no worker of build ${none} has worked here`;
    const stderr = `${temporalAddress}, namespace default: ${reason}\n`;
    expect(ramp).toEqual({ code: 1, stdout: '', stderr });
    expect(await workers(['set-current', '--build-id', none])).toEqual(ramp);
    expect(await workers(['versions', '--json'])).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });

  it('says who does not answer', async () => {
    const at = (env: Readonly<Record<string, string>>) => workers(['versions'], env);
    expect(await at({ TEMPORAL_ADDRESS: '127.0.0.1:1' })).toEqual({
      code: 1,
      stdout: '',
      stderr: '127.0.0.1:1, namespace default: the workflow server does not answer\n',
    });
    expect(await at({})).toEqual({
      code: 1,
      stdout: '',
      stderr: 'no workflow server is known here: set TEMPORAL_ADDRESS, or run npm start\n',
    });
    const { code, stderr } = await at({
      TEMPORAL_ADDRESS: temporalAddress,
      TEMPORAL_NAMESPACE: 'nobodys',
    });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^[^\n]+nobodys is not found[^\n]*\n$/),
    ]);
  });
});
