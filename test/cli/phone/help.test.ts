import { expect, it } from 'vitest';
import { phoneFailures, type Wrong } from '../../../simulator/failures/failures.ts';
import { commandHere } from '../../support/commands/command-here.ts';
import { ownDirectory } from '../../support/commands/run-command.ts';

it('phone check --help lists each --fail with its effect and reason code', async () => {
  const { path, remove } = await ownDirectory();
  const { code, stdout } = await commandHere(path, ['phone', 'check', '--help']);
  expect(code).toBe(0);
  for (const [name, { does, reasons }] of Object.entries<Wrong>(phoneFailures)) {
    const line = stdout.split('\n').find((each) => each.startsWith(`  ${name} `)) ?? '';
    const said = reasons.join(' or ') || 'passes';
    expect(line.trimEnd()).toMatch(new RegExp(`^  ${name} +${does}: ${said}$`));
    expect(line.length).toBeLessThanOrEqual(100);
  }
  await remove();
});
