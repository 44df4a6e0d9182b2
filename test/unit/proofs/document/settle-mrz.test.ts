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
    ['keeps a correct line', data, data],
    ['replaces a letter at the place of a digit', data.replace('740812', '74O8I2'), data],
    ['replaces a digit at the place of a letter', data.replace('UTO', 'UT0'), data],
    ['removes an extra filler of a run', data.replace('B<<<<<10', 'B<<<<<<10'), data],
    ['adds a missing filler of a run', data.replace('B<<<<<10', 'B<<<<10'), data],
    ['rejects a line with a missing letter, which shifts all others', data.slice(1), null],
    ['rejects a filler at the place of a digit', data.replace('6UTO', '<UTO'), null],
    ['rejects an empty line', '', null],
  ])('%s', (_, read, settled) => {
    expect(settleLine(read, 'TD3', 1)).toBe(settled);
  });
});

describe('settle of two readings', () => {
  test.each([
    ['returns the line that both read', data, data, data],
    ['corrects O for 0 in one reading', data.replace('8902', '89O2'), data, data],
    [
      'corrects O for 0 in both readings',
      data.replace('8902', '89O2'),
      data.replace('8902', '89O2'),
      data,
    ],
    ['chooses the reading with correct check digits', data.replace('L898', 'L893'), data, data],
    // 8 and S have the same weight in every check digit (ICAO 9303-3: 8 and 28, modulo 10).
    ['returns null when check digits cannot decide', data.replace('L898', 'L89S'), data, null],
    ['returns null when the readings differ in the sex', data.replace('F120', 'M120'), data, null],
    [
      'returns null when neither reading is right',
      data.replace('L898', 'L893'),
      data.replace('L898', 'L894'),
      null,
    ],
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
