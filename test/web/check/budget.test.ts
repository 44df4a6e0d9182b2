import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildPages } from '../../../web/build.ts';

const folder = new URL('../../../web/dist/browser/', import.meta.url);
const kilobytesOf = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, folder))).length, 0) / 1000;

describe('the compressed scripts of the page of a link', () => {
  let scripts: readonly string[] = [];
  beforeAll(async () => {
    await buildPages();
    scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  });

  it('are at most 45 kB, including the worker', () => {
    expect(scripts.length).toBeGreaterThan(1);
    expect(kilobytesOf(scripts)).toBeLessThanOrEqual(45);
  });

  it('are at most 1.5 kB for the script that other pages embed', () => {
    const script = readFileSync(new URL('../sdk/open.js', folder));
    expect(gzipSync(script).length / 1000).toBeLessThanOrEqual(1.5);
  });

  it('have at most 6 kB of hints, in a separate worker', () => {
    const workers = scripts.filter((name) => name.startsWith('hints-worker'));
    expect(workers).toHaveLength(1);
    expect(kilobytesOf(workers)).toBeLessThanOrEqual(6);
  });
});
