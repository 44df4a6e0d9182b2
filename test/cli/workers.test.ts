import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentFault, desertedLines } from '../../cli/temporal/workers.ts';
import { commandHere } from '../support/commands/command-here.ts';
import { ownDirectory } from '../support/commands/run-command.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { temporalAddress } = ownPlatform();
let directory: Awaited<ReturnType<typeof ownDirectory>>;
beforeAll(async () => {
  directory = await ownDirectory();
});
afterAll(() => directory.remove());

const workers = (
  words: readonly string[],
  env: Readonly<Record<string, string>> = { TEMPORAL_ADDRESS: temporalAddress },
) => commandHere(directory.path, ['workers', ...words], env);

describe('trustcheck workers', () => {
  const none = 'f'.repeat(64);
  const noId = '--build-id: 64 hexadecimal digits, as trustcheck workers versions prints them';
  const noRamp =
    '--ramp: a whole number from 1 to 99; for all leave it out, ' +
    'and to end a ramp make the current build current again';
  it.each([
    [{ buildId: 'latest' }, noId],
    [{ buildId: `${none}f` }, noId],
    [{ buildId: none.toUpperCase() }, noId],
    [{ buildId: '' }, noId],
    [{ ramp: '0' }, noRamp],
    [{ ramp: '100' }, noRamp],
    [{ ramp: '101' }, noRamp],
    [{ ramp: '1.5' }, noRamp],
    [{ ramp: '-1' }, noRamp],
    [{ ramp: '' }, noRamp],
    [{ buildId: none, ramp: '1' }, null],
    [{ ramp: '99' }, null],
    [{}, null],
  ])('validates %j: %s', (options, fault) => {
    expect(currentFault(options)).toBe(fault);
  });

  it('names each build without workers, one per line, or prints nothing', () => {
    const after = 'drains and no worker of it runs: what is open on it waits until one does';
    expect(desertedLines([none, '0'.repeat(64)])).toBe(
      `${none} ${after}\n${'0'.repeat(64)} ${after}\n`,
    );
    expect(desertedLines([])).toBe('');
  });

  it('rejects wrong arguments in one line', async () => {
    const refused = await workers(['set-current', '--ramp', '101']);
    expect(refused).toEqual({ code: 2, stdout: '', stderr: `${noRamp}\n` });
  });

  it('refuses to make a build current that has never run here', async () => {
    const ramp = await workers(['set-current', '--build-id', none, '--ramp', '1']);
    const reason = `no worker of build ${none} has worked here`;
    const stderr = `${temporalAddress}, namespace default: ${reason}\n`;
    expect(ramp).toEqual({ code: 1, stdout: '', stderr });
    expect(await workers(['set-current', '--build-id', none])).toEqual(ramp);
    expect(await workers(['versions', '--json'])).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });

  it('names the server that does not answer', async () => {
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
