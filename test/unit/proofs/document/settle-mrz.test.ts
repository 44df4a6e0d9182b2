import { describe, expect, test } from 'vitest';
import {
  mrzFormatOf,
  settleLine,
  settleZone,
} from '../../../../domain/proofs/document/settle-mrz.ts';
import { readMrz, MalformedMrz } from '../../../../domain/proofs/mrz/mrz.ts';

const names = 'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<';
const data = 'L898902C36UTO7408122F1204159ZE184226B<<<<<10';

const isRight = (lines: readonly string[]): boolean => {
  try {
    return readMrz(lines).wrongCheckDigits.length === 0;
  } catch (error) {
    if (error instanceof MalformedMrz) return false;
    throw error;
  }
};
const settle = (one: string, other = one) =>
  settleZone(
    [
      { one: names, other: names },
      { one, other },
    ],
    'TD3',
    isRight,
  );

describe('settleLine', () => {
  test.each([
    ['as it is', data, data],
    ['a letter where a digit stands', data.replace('740812', '74O8I2'), data],
    ['a digit where a letter stands', data.replace('UTO', 'UT0'), data],
    ['a filler too many in a run', data.replace('B<<<<<10', 'B<<<<<<10'), data],
    ['a filler too few in a run', data.replace('B<<<<<10', 'B<<<<10'), data],
    ['a letter too few, and so all others shifted', data.slice(1), null],
    ['a filler where a digit stands', data.replace('6UTO', '<UTO'), null],
    ['nothing', '', null],
  ])('%s', (_, read, settled) => {
    expect(settleLine(read, 'TD3', 1)).toBe(settled);
  });
});

describe('settle of two readings', () => {
  test.each([
    ['that agree', data, data, data],
    ['of which one has O for 0', data.replace('8902', '89O2'), data, data],
    ['that both have O for 0', data.replace('8902', '89O2'), data.replace('8902', '89O2'), data],
    ['that differ where a digit decides', data.replace('L898', 'L893'), data, data],
    // 8 and S have the same weight in every check digit (ICAO 9303-3: 8 and 28, modulo 10).
    ['that differ where no digit decides', data.replace('L898', 'L89S'), data, null],
    ['that differ in the sex', data.replace('F120', 'M120'), data, null],
    ['neither of which is right', data.replace('L898', 'L893'), data.replace('L898', 'L894'), null],
  ])('%s', (_, one, other, expected) => {
    expect(settle(one, other)?.[1] ?? null).toBe(expected);
  });

  test('leaves an agreed but wrong line to the verifier', () => {
    const wrong = data.replace('L898', 'L893');
    expect(settle(wrong)).toEqual([names, wrong]);
  });
});

test.each([
  [[names, data], 'TD3'],
  [['V'.padEnd(44, '<'), data], 'MRV-A'],
  [['I'.padEnd(36, '<'), 'D'.padEnd(36, '<')], 'TD2'],
  [['V'.padEnd(36, '<'), 'D'.padEnd(36, '<')], 'MRV-B'],
  [['I'.padEnd(31, '<'), '7'.padEnd(30, '<'), 'E'.padEnd(29, '<')], 'TD1'],
  [['I'.padEnd(40, '<'), 'D'.padEnd(40, '<')], null],
  [['I'.padEnd(30, '<')], null],
])('the MRZ format of %j is %s', (lines, format) => {
  expect(mrzFormatOf(lines)).toBe(format);
});
