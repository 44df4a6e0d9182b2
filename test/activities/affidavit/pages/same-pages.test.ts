import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('render-in-turn.ts', import.meta.url));

/** Names that share glyphs with other names, by dots or stacked marks. */
const names = [
  'فقه',
  'شركة',
  'عنوان',
  'سارة علي',
  'شرکت ایران',
  'مياه',
  'ببتتثث ننيي',
  'جح خ',
  'هةہۀ ەۃ',
  'يىئیې',
  `Z${'\u0301'.repeat(20)}`,
  `Z${'\u0301\u0302'.repeat(5)}e\u0301`,
  'é e\u0301 ệ',
  'שָׁלוֹם שלום',
  'น้ำ นํ้า',
  'क्षत्रिय कषतरिय',
];

/** Renders the pages of each name in this order in one process, and returns their digests. */
async function pagesInTurn(turn: readonly string[]): Promise<Map<string, string>> {
  const words = ['--disable-warning=ExperimentalWarning', program, ...turn];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const digests = stdout.trimEnd().split('\n');
  expect(digests).toHaveLength(turn.length);
  return new Map(turn.map((name, at) => [name, digests[at] ?? '']));
}

it('the pages of an affidavit do not depend on the affidavits rendered before', async () => {
  const first = await pagesInTurn(names);
  const second = await pagesInTurn(names.toReversed());
  expect(names.filter((name) => first.get(name) !== second.get(name))).toEqual([]);
});
