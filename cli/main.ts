import { runCommand } from './program.ts';

// A reader that closes the pipe early, such as `| head`, is no error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

await runCommand(process.argv.slice(2));
