import type { AffidavitContent } from '../../../domain/affidavit/content.ts';

/**
 * What the pages print to verify a file without any program of ours, as one program for `sh`: it
 * ends at the first command that fails. Needs poppler, OpenSSL, the file and `root.pem` beside it.
 */
export function printedWords({ how_to_verify: steps }: Pick<AffidavitContent, 'how_to_verify'>) {
  const commands = steps.flatMap(({ command }) => command ?? []);
  const from = commands.findIndex((command) => command.startsWith('pdfsig'));
  if (from < 0) throw new Error('the pages print no words for poppler');
  return ['set -eu', ...commands.slice(from)].join('\n');
}
