import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getPython, validatorsPlace } from '../../support/commands/python.ts';
import { readOptions, wordsOf, WrongWords } from '../../support/runner/words.ts';

const usage = `npm run validators -- <affidavit.pdf> <root.pem>
  has validators that others wrote judge an affidavit: EU DSS, veraPDF, pyHanko, pdfsig; 1 when one
  refuses it, 3 when none of them can be run here, with what stands in the way of each, 0 when all
  that can be run here accept it, as PAdES-BASELINE-LTA, PDF/A-3U and PDF/UA-1
`;
const getMsMax = 600_000;
const judgeMsMax = 120_000;
/** Maximum number of characters of a program’s error output. */
const saidMax = 300;

interface Files {
  readonly pdf: string;
  readonly root: string;
}

function filesOf(words: string[]): Files {
  const [pdf, root, ...more] = wordsOf(words, {}).positionals;
  if (!pdf || !root || more.length > 0) throw new WrongWords('an affidavit and a root');
  for (const path of [pdf, root]) {
    if (!existsSync(path)) throw new WrongWords(`${path}: does not exist`);
  }
  return { pdf: resolve(pdf), root: resolve(root) };
}

/** A program is not available on this machine; the message names it. */
class NotHere extends Error {
  override readonly name = 'NotHere';
}

const here = (name: string): string => new URL(name, import.meta.url).pathname;

/**
 * Runs a program to its end, and returns its standard output. Throws NotHere when it is missing.
 */
function get(program: string, args: readonly string[]): string {
  const ran = spawnSync(program, args, { encoding: 'utf8', timeout: getMsMax });
  if (ran.error) throw new NotHere(`${program} does not run: ${ran.error.message}`);
  if (ran.status === 0) return ran.stdout;
  const said = `${ran.stdout} ${ran.stderr}`.replaceAll(/\s+/g, ' ').trim();
  throw new NotHere(`${program} fails: ${said.slice(0, saidMax)}`);
}

/** Returns the Python that has pyHanko. Throws NotHere. */
function python(): string {
  const found = getPython(getMsMax);
  if (found === null) throw new NotHere('python3 -m venv, or pip, does not run');
  return found;
}

/** Returns the class path of the validators; Maven caches its downloads. */
function classPath(place: string): string {
  const path = join(place, 'class-path.txt');
  get('java', ['-version']);
  const to = `-Dmdep.outputFile=${path}`;
  get('mvn', ['-q', '-B', '-f', here('pom.xml'), 'dependency:build-classpath', to]);
  return readFileSync(path, 'utf8').trim();
}

type Judged = readonly [program: string, args: readonly string[]];

const validators: Readonly<Record<string, (place: string, files: Files) => Judged>> = {
  'EU DSS': (place, { pdf, root }) => java(place, 'dss', pdf, root),
  veraPDF: (place, { pdf }) => java(place, 'verapdf', pdf),
  pyHanko: (_place, { pdf, root }) => [python(), [here('judge.py'), pdf, root]],
  pdfsig: (_place, { pdf }) => {
    get('pdfsig', ['-v']);
    return ['pdfsig', ['-nocert', pdf]];
  },
};

const java = (place: string, ...words: string[]): Judged => [
  'java',
  ['-cp', classPath(place), here('judge.java'), ...words],
];

const none = 3;

function judge(files: Files): number {
  const place = validatorsPlace();
  mkdirSync(place, { recursive: true });
  const found = { accepted: 0, refused: 0 };
  for (const [name, begin] of Object.entries(validators)) {
    try {
      const [program, args] = begin(place, files);
      const ran = spawnSync(program, args, { encoding: 'utf8', timeout: judgeMsMax });
      const isAccepted =
        ran.status === 0 && (name !== 'pdfsig' || ran.stdout.includes('Signature is Valid.'));
      const said = name === 'pdfsig' ? (isAccepted ? 'Signature is Valid.' : '') : ran.stdout;
      process.stdout.write(
        `${isAccepted ? '✓' : '✗'} ${name}: ${said.trim().replaceAll('\n', '; ')}\n`,
      );
      found[isAccepted ? 'accepted' : 'refused'] += 1;
    } catch (error) {
      if (!(error instanceof NotHere)) throw error;
      process.stdout.write(`– ${name}: skipped, ${error.message}\n`);
    }
  }
  if (found.refused > 0) return 1;
  return found.accepted > 0 ? 0 : none;
}

const read = readOptions(filesOf, usage);
process.exitCode = read.options ? judge(read.options) : read.code;
