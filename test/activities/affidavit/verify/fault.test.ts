import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { faultOf } from '../../../../activities/affidavit/fault.ts';
import { Failure } from '../../../../workflows/failures.ts';

const withCode = (code: string, more: object = {}): Error =>
  Object.assign(new Error('no'), { code, ...more });
const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('a fault while issuing an affidavit', () => {
  it.for([
    ['a store that is away', new Failure('dependency_unavailable')],
    ['a database that refuses', withCode('ECONNREFUSED')],
    ['one that is shutting down', withCode('57P01')],
    ['one that is full', withCode('53100')],
    ['a conflict', withCode('40001')],
    ['a query that took too long', new Error('Query read timeout')],
    ['a plan of before a migration', withCode('0A000')],
    ['a column that is not there yet', withCode('42703')],
    ['a table that is not there yet', withCode('42P01')],
    ['a disk that is full', withCode('ENOSPC', { syscall: 'write' })],
    ['a file that is not there yet', thrownBy(() => readFileSync('/nowhere/at/all'))],
  ] as const)('is retryable: %s', ([, error]) => {
    expect(faultOf(error)).toBe(error);
  });

  it('keeps the code gone for a redacted check', () => {
    const error = new Failure('gone');
    expect(faultOf(error)).toBe(error);
  });

  it.for([
    ['content that is not understood', thrownBy(() => JSON.parse('{'))],
    ['a wrong statement', withCode('42601')],
    ['another file under its key', new Failure('object_conflict')],
    ['nothing at all', undefined],
  ] as const)('is the fault of the affidavit: %s', ([, error]) => {
    expect(faultOf(error)).toMatchObject({ code: 'affidavit_unmakeable', cause: error });
  });

  it('keeps the code affidavit_invalid', () => {
    const error = new Failure('affidavit_invalid');
    expect(faultOf(error)).toBe(error);
  });
});
