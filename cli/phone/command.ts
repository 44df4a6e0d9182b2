import { phoneCheck } from './check.ts';

const failures = new Set(['wrong_code']);

/** `trustcheck phone check`: 0 when the check passed, 1 when it ended otherwise. */
export async function checkFromCommand(
  link: string,
  options: { readonly number: string; readonly fail?: string },
): Promise<number> {
  if (!URL.canParse(link)) {
    process.stderr.write('the link is not an address\n');
    return 2;
  }
  if (options.fail !== undefined && !failures.has(options.fail)) {
    process.stderr.write(`--fail: one of ${[...failures].join(', ')}\n`);
    return 2;
  }
  const session = await phoneCheck({
    link,
    number: options.number,
    ...(options.fail ? { fail: options.fail } : {}),
    say: (line) => void process.stdout.write(`${line}\n`),
  });
  const reason = session.reason_code ? ` (${session.reason_code})` : '';
  process.stdout.write(`${session.status}${reason}\n`);
  return session.status === 'passed' ? 0 : 1;
}
