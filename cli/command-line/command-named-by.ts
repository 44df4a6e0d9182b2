import type { Command } from 'commander';

/** Returns the command that the first words name, and its full name, word by word. */
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
 * Removes a help flag if the words name no command. Otherwise the general help would hide the
 * error.
 */
export function understood(program: Command, words: readonly string[]): readonly string[] {
  const { command, names } = commandNamedBy(program, words);
  const next = words[names.length - 1] ?? '-';
  const isKnown = command.commands.length === 0 || next.startsWith('-') || next === 'help';
  return isKnown ? words : words.filter((word) => word !== '-h' && word !== '--help');
}
