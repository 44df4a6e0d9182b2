import { judgeLabelled, type Outcome } from '../../support/fixtures/documents/judge.ts';
import { conditions, labelled } from '../../support/fixtures/documents/labelled.ts';
import { readOptions, readWords, WrongWords } from '../../support/runner/words.ts';

const usage = `npm run documents -- [--images N] [--first N]
  reads N photographs (390) of documents from the first (0), as a live check does, and holds every
  field against what was printed; 1 when one passed with another
`;

function optionsOf(words: string[]): { images: number; first: number } {
  const flags = {
    images: { type: 'string', default: '390' },
    first: { type: 'string', default: '0' },
  } as const;
  const { values } = readWords(words, flags, []);
  const [images, first] = [Number(values.images), Number(values.first)];
  const isFine = (count: number, least: number): boolean =>
    Number.isInteger(count) && count >= least && count <= 100_000;
  if (!isFine(images, 1)) throw new WrongWords('--images: a number from 1 to 100000');
  if (!isFine(first, 0)) throw new WrongWords('--first: a number from 0 to 100000');
  return { images, first };
}

/** Measures how documents are read; returns 1 when one passed with a wrong field. */
async function measure(count: number, first: number): Promise<number> {
  const outcomes: Outcome[] = [];
  const beforeMb = residentMb();
  for (let number = first; number < first + count; number += 1) {
    const outcome = await judgeLabelled(await labelled(number));
    outcomes.push(outcome);
    if (process.env['VERBOSE']) console.log(JSON.stringify(outcome));
  }
  console.log('| condition | images | read right | refused | passed wrong | median ms |');
  console.log('|---|---|---|---|---|---|');
  for (const condition of [...Object.keys(conditions), 'total']) {
    const of = outcomes.filter((one) => condition === 'total' || one.condition === condition);
    console.log(rowOf(condition, of));
  }
  const accepted = outcomes.filter(
    ({ verdict, wrong }) => verdict === 'passed' && wrong.length > 0,
  );
  console.log(`resident: ${beforeMb} MB before, ${mostResidentMb()} MB at most`);
  for (const one of accepted) console.log(`passed wrong: ${JSON.stringify(one)}`);
  return accepted.length === 0 ? 0 : 1;
}

const residentMb = (): number => Math.round(process.memoryUsage.rss() / 2 ** 20);
/**
 * Peak memory of the whole process, with native decoders and wasm; it also draws the photographs.
 */
const mostResidentMb = (): number => Math.round(process.resourceUsage().maxRSS / 1024);

function rowOf(condition: string, outcomes: readonly Outcome[]): string {
  const passed = outcomes.filter(({ verdict }) => verdict === 'passed');
  const right = passed.filter(({ wrong }) => wrong.length === 0).length;
  const reasons = new Map<string, number>();
  for (const { verdict, reason } of outcomes) {
    if (verdict !== 'passed') reasons.set(reason ?? '', (reasons.get(reason ?? '') ?? 0) + 1);
  }
  const refused = [...reasons].map(([reason, count]) => `${reason} ${count}`).join(', ') || '–';
  const times = outcomes.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const median = times[Math.trunc(times.length / 2)] ?? 0;
  const cells = [condition, outcomes.length, right, refused, passed.length - right, median];
  return `| ${cells.join(' | ')} |`;
}

const read = readOptions(optionsOf, usage);
process.exitCode = read.options
  ? await measure(read.options.images, read.options.first)
  : read.code;
