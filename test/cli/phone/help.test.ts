import { expect, it } from 'vitest';
import { phoneFailures, type Wrong } from '../../../simulator/failures/failures.ts';
import { ownDirectory, trustcheck } from '../../support/commands/run-command.ts';

it('phone check --help says what each --fail does, and the reason code it ends in', async () => {
  const { path, remove } = await ownDirectory();
  const { ended } = trustcheck(path, ['phone', 'check', '--help']);
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  for (const [name, { does, reasons }] of Object.entries<Wrong>(phoneFailures)) {
    const line = stdout.split('\n').find((each) => each.startsWith(`  ${name} `)) ?? '';
    const said = reasons.join(' or ') || 'passes';
    expect(line.trimEnd()).toMatch(new RegExp(`^  ${name} +${does}: ${said}$`));
    expect(line.length).toBeLessThanOrEqual(100);
  }
  await remove();
});
