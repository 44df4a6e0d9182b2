import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** The command line is invalid. The message is one line. */
export class WrongWords extends Error {
  override readonly name = 'WrongWords';
}

/**
 * Parses the flags of a script and the names to work on: the given known names, or all if none is
 * given.
 * @throws WrongWords
 */
export function readWords<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
  names: readonly string[],
) {
  const { values, positionals } = wordsOf(args, options);
  const unknown = positionals.find((name) => !names.includes(name));
  const known = names.length === 0 ? 'this takes no words' : `one of ${names.join(', ')}`;
  if (unknown !== undefined) throw new WrongWords(`${unknown}: ${known}`);
  const chosen = names.filter((name) => positionals.length === 0 || positionals.includes(name));
  return { values, chosen };
}

/**
 * Parses the flags and the other words of a script.
 * @throws WrongWords
 */
export function wordsOf<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
) {
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (cause) {
    const [line = ''] = cause instanceof Error ? cause.message.split(/\. |\n/) : [];
    throw new WrongWords(line, { cause });
  }
}

/**
 * Parses the number of rounds.
 * @throws WrongWords unless it is a number from 1 to 100
 */
export function readRounds(word: string): number {
  const rounds = Number(word);
  if (Number.isInteger(rounds) && rounds >= 1 && rounds <= 100) return rounds;
  throw new WrongWords('--rounds: a number from 1 to 100');
}

/** Parses the options of a script. Null if the command line is invalid or requests help. */
export function readOptions<T>(
  read: (args: string[]) => T,
  usage: string,
): { options: T } | { options: null; code: number } {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(usage);
    return { options: null, code: 0 };
  }
  try {
    return { options: read(args) };
  } catch (error) {
    if (!(error instanceof WrongWords)) throw error;
    process.stderr.write(`${error.message}; see: --help\n`);
    return { options: null, code: 2 };
  }
}
