import { X509Certificate } from 'node:crypto';
import {
  coverageOf,
  type Coverage,
  type CoverageRow,
} from '../../domain/proofs/passport/signer/coverage.ts';
import {
  joinCscaStores,
  parseMasterList,
} from '../../domain/proofs/passport/signer/master-list.ts';
import { printable, printableJson } from '../command-line/printable.ts';
import { reasonOf } from '../command-line/reason.ts';
import { readNamed } from '../verify/read-named.ts';

export interface CoverageOptions {
  /** Signed master lists, and their roots in the same order. */
  readonly masterList?: readonly string[] | undefined;
  readonly root?: readonly string[] | undefined;
  readonly at?: string | undefined;
  readonly json?: boolean | undefined;
}

/**
 * Prints which States' passports can be verified with the master lists: country × algorithm × age
 * of its CSCAs. Exit codes: 0 printed, 2 a list is unreadable or not signed under its root.
 */
export async function reportCoverage(options: CoverageOptions): Promise<number> {
  try {
    const at = options.at === undefined ? new Date() : new Date(options.at);
    if (Number.isNaN(at.getTime())) throw new Error('--at: not an instant (ISO 8601)');
    const coverage = coverageOf(joinCscaStores(await storesOf(options)), at);
    process.stdout.write(options.json ? `${printableJson(coverage)}\n` : reportOf(coverage));
    return 0;
  } catch (error) {
    process.stderr.write(`${printable(reasonOf(error))}\n`);
    return 2;
  }
}

async function storesOf({ masterList = [], root = [] }: CoverageOptions) {
  if (masterList.length === 0) throw new Error('no master list: give --master-list and --root');
  if (masterList.length !== root.length) throw new Error('give each --master-list its --root');
  return Promise.all(
    masterList.map(async (path, index) => {
      const bytes = await readNamed(path);
      const anchor = new X509Certificate(await readNamed(root[index] ?? '')).raw;
      return parseMasterList(bytes, anchor);
    }),
  );
}

const columns: readonly [string, (row: CoverageRow) => string][] = [
  ['country', ({ country }) => country],
  ['algorithm', ({ algorithm }) => algorithm],
  ['CSCAs', ({ certificates }) => String(certificates)],
  ['valid', ({ valid }) => String(valid)],
  ['newest', ({ newest_age_years: years }) => `${years.toFixed(1)} y`],
  ['oldest', ({ oldest_age_years: years }) => `${years.toFixed(1)} y`],
  ['until', ({ expires_on }) => expires_on],
  ['signatures', ({ signatures }) => signatures],
];

function reportOf({ rows, missing, ...totals }: Coverage): string {
  const cells = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, text]) => printable(text(row)))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => (line[at] ?? '').length)));
  const lines = cells.map((line) =>
    line
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const count = `${totals.certificates} certificates of ${totals.countries} countries`;
  const unread = totals.unreadable > 0 ? `, ${totals.unreadable} cannot be read` : '';
  return `${lines.join('\n')}\n\n${count}${unread}\nnone of: ${missing.join(' ') || '–'}\n`;
}
