import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyReasons } from '../../../domain/affidavit/reasons.ts';

const root = new URL('../../..', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const pages = [
  'CHANGELOG.md',
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const texts = new Map(pages.map((path) => [path, read(path)]));

/** The anchors of a page as GitHub makes them from its headings. */
function anchorsIn(text: string): Set<string> {
  const headings = text.replace(/^```[^]*?^```/gm, '').match(/^#+ .+$/gm) ?? [];
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/^#+ /, '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function isBroken(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const to = path === '' ? page : normalize(join(dirname(page), path));
  if (!to.endsWith('.md')) return !readdirSync(join(root, dirname(to))).includes(basename(to));
  const text = texts.get(to);
  return text === undefined || (anchor !== undefined && !anchorsIn(text).has(anchor));
}

describe('the documents', () => {
  it('link only to files and headings that exist', () => {
    const links = [...texts].flatMap(([page, text]) =>
      Array.from(text.matchAll(/\]\((?![a-z]+:|\/)([^)\s]+)\)/g), ([, target = '']) => ({
        page,
        target,
      })),
    );
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter(({ page, target }) => isBroken(page, target))).toEqual([]);
  });

  it('have pages for operators of at most 2,500 words, apart from the table of settings', () => {
    const long = pages
      .filter((path) => path.startsWith('docs/operate') && !path.endsWith('/settings.md'))
      .filter((path) => read(path).split(/\s+/).length > 2_500);
    expect(long).toEqual([]);
  });

  it('explain every reason code of a verdict on an affidavit, in the words of the code', () => {
    const rows = [
      ...read('docs/protocols/verify-reasons.md').matchAll(/^\| `(\w+)` \| (.+) \|$/gm),
    ];
    expect(Object.fromEntries(rows.map(([, code, words]) => [code, words]))).toEqual(verifyReasons);
  });

  it('title each decision record with its number', () => {
    const records = pages.filter((path) => /^docs\/decisions\/\d/.test(path));
    for (const path of records) {
      const [title] = read(path).split('\n');
      expect(title, path).toMatch(new RegExp(`^# ${basename(path).slice(0, 3)}\\. \\S`));
    }
  });
});
