import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { baseStyle, tokenColor } from '../../../api/http/html/style.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Matches a color in a style sheet or an attribute. */
const color = /(?:[a-z-]+:\s*|fill="|stroke=")(?:#[0-9a-f]{3,8}\b|(?:rgb|hsl|oklch)\()/i;

it('only the tokens and the camera styles contain colors, and the tokens define every variable', () => {
  const paths = globSync(['api/**/*.ts', 'web/**/*.{css,ts,tsx,js}'], { cwd: root.pathname });
  const sources = paths.filter((path) => !path.startsWith('web/dist'));
  expect(sources.length).toBeGreaterThan(100);
  // A code to scan and a camera picture are black on white in every color scheme.
  expect(sources.filter((path) => color.test(read(path))).toSorted()).toEqual([
    'web/check/check.css',
    'web/style/tokens.css',
  ]);
  const named = [...baseStyle.matchAll(/var\((--[\w-]+)\)/g)].map(([, name = '']) => name);
  for (const name of new Set(named)) expect(baseStyle).toContain(`${name}:`);
});

it('tokenColor throws for an unknown token', () => {
  expect(tokenColor('good')).toMatch(/^#[0-9a-f]{6}$/);
  expect(() => tokenColor('no-token')).toThrow('has no color no-token');
});
