import type { Command } from 'commander';

/** The command that the first words name, and its whole name, a word each. */
export function commandNamedBy(
  program: Command,
  words: readonly string[],
): { readonly command: Command; readonly names: readonly string[] } {
  let command = program;
  const names = [program.name()];
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word);
    if (!next) break;
    command = next;
    names.push(word);
  }
  return { command, names };
}

/**
 * The words without a flag for help, where they name no command: it would be answered by the help
 * of all others, as if that were no fault.
 */
export function understood(program: Command, words: readonly string[]): readonly string[] {
  const { command, names } = commandNamedBy(program, words);
  const next = words[names.length - 1] ?? '-';
  const isKnown = command.commands.length === 0 || next.startsWith('-') || next === 'help';
  return isKnown ? words : words.filter((word) => word !== '-h' && word !== '--help');
}
