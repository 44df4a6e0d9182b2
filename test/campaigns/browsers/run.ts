// `npm run browsers` runs a check in Firefox and in WebKit (docs/campaigns.md).
import { runVitest } from '../../support/runner/vitest-run.ts';
import { readOptions, readWords } from '../../support/runner/words.ts';
import { engineNames, enginesSetting, missingPackages } from './engines.ts';

const usage = `npm run browsers -- [${engineNames.join('] [')}]
  runs the page of a check in the engines named, in all without names, on a platform of its own;
  0 when every path passed, 1 when one failed or an engine is not installed
`;

/** Runs the paths in each engine that is installed. */
async function main(): Promise<number> {
  const read = readOptions((words) => readWords(words, {}, engineNames).chosen, usage);
  if (read.options === null) return read.code;
  const { options } = read;
  const chosen = engineNames.filter((name) => options.includes(name));
  const installed = chosen.filter((name) => missingPackages(name).length === 0);
  for (const name of chosen.filter((each) => !installed.includes(each))) {
    const packages = missingPackages(name).join(' ');
    process.stderr.write(`${name} is not installed: apt-get install ${packages}\n`);
  }
  if (installed.length === 0) return 1;
  const flags = ['test/campaigns/browsers', '--no-file-parallelism', '--reporter=verbose'];
  const code = await runVitest(flags, { [enginesSetting]: installed.join() });
  return installed.length < chosen.length ? 1 : code;
}

process.exitCode = await main();
