import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { proofReasons } from '../../domain/proofs/reasons.ts';
import { phoneFailures, type PhoneFailure, type Wrong } from '../../simulator/failures/failures.ts';
import { causes } from '../campaigns/simulator/causes.ts';

const text = readFileSync(new URL('../../docs/guides/simulator.md', import.meta.url), 'utf8');
const [listed = '', excepted = ''] = text.split('\n## What it cannot bring about\n');

/** The cells of all rows with a code in the first cell. */
const rowsIn = (part: string): string[][] =>
  part
    .split('\n')
    .filter((line) => /^\| `(?!--)/.test(line))
    .map((line) => line.slice(2, -2).split(' | '));

const codesIn = (cell = ''): string[] => cell.match(/(?<=`)[a-z0-9_]+(?=`)/g) ?? [];

const failures = Object.entries<Wrong>(phoneFailures);
const codes: ReadonlySet<string> = new Set(Object.values(proofReasons).flatMap(Object.keys));
const caused = new Set(failures.flatMap(([, { reasons }]): readonly string[] => reasons));

describe('the failures that the simulated phone can cause', () => {
  it('cover every reason code of a proof, except those listed in docs/guides/simulator.md', () => {
    const excused = rowsIn(excepted).map(([code]) => codesIn(code)[0] ?? '');
    const missing = [...codes].filter((code) => !caused.has(code));
    expect(excused.toSorted()).toEqual(missing.toSorted());
    for (const [, why = ''] of rowsIn(excepted)) expect(why).not.toBe('');
  });

  it('have the reasons that their causes are tested for', () => {
    for (const [name, { reasons, platform }] of failures) {
      const tried = causes[name as PhoneFailure];
      const told = tried.flatMap(({ reason, ends }) =>
        (reason ?? ('why' in ends && ends.why))
          ? [reason ?? ('why' in ends ? ends.why : null)]
          : [],
      );
      expect([...new Set(told)], name).toEqual(reasons);
      if (platform)
        expect(
          tried.flatMap(({ platforms }) => platforms),
          name,
        ).toEqual([platform]);
    }
  });

  it('are listed in docs/guides/simulator.md, each with its reasons', () => {
    const rows = rowsIn(listed).map(([name, does = '', reasons]) => [
      ...codesIn(name),
      does.replace(/ \(`--document \w+`\)$/, ''),
      codesIn(reasons),
    ]);
    expect(rows).toEqual(failures.map(([name, { does, reasons }]) => [name, does, reasons]));
  });
});
