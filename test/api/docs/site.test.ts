import { readdirSync, readFileSync } from 'node:fs';
import { decode } from 'html-entities';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../support/http/client.ts';

const folder = new URL('../../../docs/', import.meta.url);
const pageBytesMax = 150_000;

interface Visited {
  readonly status: number;
  readonly text: string;
  readonly type: string;
}
const visited = new Map<string, Visited>();

const linksOf = (text: string): string[] =>
  [...text.matchAll(/href="([^"]+)"/g)].map(([, target = '']) => decode(target));

/** Follows every link to a document, starting at the first page. */
beforeAll(async () => {
  const waiting = ['/docs'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (visited.has(path)) continue;
    const { status, text, headers } = await call('GET', path);
    visited.set(path, { status, text, type: headers.get('content-type') ?? '' });
    const targets = linksOf(text).map((target) => target.split('#')[0] ?? '');
    waiting.push(...targets.filter((target) => target.startsWith('/docs')));
  }
});

describe('the documentation site', () => {
  it('has no dead links and more than 100 pages', () => {
    expect(visited.size).toBeGreaterThan(100);
    const dead = [...visited].filter(([, { status }]) => status !== 200).map(([path]) => path);
    expect(dead).toEqual([]);
  });

  it('has pages of at most 150 kB', () => {
    const sizes = [...visited].map(([path, { text }]) => [path, Buffer.byteLength(text)] as const);
    expect(sizes.filter(([, bytes]) => bytes > pageBytesMax)).toEqual([]);
  });

  it('includes every Markdown file of the folder', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => name.endsWith('.md'))) {
      const path = file.replace(/(?:\/README)?\.md$/, '');
      expect([...visited.keys()], file).toContain(`/docs/${path}`);
    }
  });

  it('has the heading of each link', () => {
    for (const [path, { text }] of visited) {
      for (const target of linksOf(text)) {
        const [page = '', anchor] = target.split('#');
        const found = visited.get(page === '' ? path : page);
        if (!found || anchor === undefined) continue;
        const ids = [...found.text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => decode(id));
        expect(ids, `${path} → ${target}`).toContain(anchor);
      }
    }
  });

  it('marks the current page in the sidebar and lists the others', () => {
    const page = visited.get('/docs/guides/api')?.text ?? '';
    expect(page).toMatch(/href="\/docs\/guides\/api"\s+aria-current="page"/);
    expect(page).toContain('href="/docs/operate/keys"');
    expect(page).toContain('href="/docs/reference/trust-checks"');
  });

  it('returns Markdown if the path ends in .md', async () => {
    const { status, text, headers } = await call('GET', '/docs/guides/api.md');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(text).toBe(readFileSync(new URL('guides/api.md', folder), 'utf8'));
  });

  it.each([
    'operate',
    'guides/nothing',
    'decisions/999-nothing',
    '..%2FREADME.md',
    'guides/..%2F..%2Fpackage.json',
    '__proto__',
    'reference/__proto__',
    'reference/schema-constructor',
    'guides/api.md%00',
    'pictures/consent.png',
  ])('returns 404 for %s', async (path) => {
    const { status, body } = await call('GET', `/docs/${path}`);
    expect([status, body['code']]).toEqual([404, 'not_found']);
  });
});

describe('docs.search', () => {
  const search = async (words: string): Promise<string> =>
    (await call('GET', `/docs/search?q=${encodeURIComponent(words)}`)).text;
  const resultsOf = (text: string): string[] =>
    linksOf(text.slice(text.indexOf('<ol class="results">')));

  it.each([
    ['rotate the master key', '/docs/operate/keys'],
    ['links.create', '/docs/reference/links#links.create'],
    ['already_begun', '/docs/errors/already_begun'],
    ['webhok signature', '/docs/guides/api'],
  ])('finds “%s”', async (words, expected) => {
    const [first = ''] = resultsOf(await search(words)).filter((url) => url.startsWith(expected));
    expect(first).not.toBe('');
    const [path = '', anchor] = first.split('#');
    if (anchor !== undefined) expect(visited.get(path)?.text).toContain(` id="${anchor}"`);
  });

  it('reports when nothing was found, and escapes the query', async () => {
    const text = await search('<zzyzx>');
    expect(decode(text)).toContain('Nothing found for “<zzyzx>”');
    expect(text).not.toContain('<zzyzx');
  });

  it('accepts an empty query and rejects queries over 200 characters', async () => {
    expect((await call('GET', '/docs/search')).text).toContain('Type words into the search field.');
    expect((await call('GET', `/docs/search?q=${'a'.repeat(201)}`)).status).toBe(422);
  });
});
