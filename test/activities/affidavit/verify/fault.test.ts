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
    ['an unavailable store', new Failure('dependency_unavailable')],
    ['a database that refuses connections', withCode('ECONNREFUSED')],
    ['a database that is shutting down', withCode('57P01')],
    ['a full database', withCode('53100')],
    ['a conflict', withCode('40001')],
    ['a query timeout', new Error('Query read timeout')],
    ['a query plan older than a migration', withCode('0A000')],
    ['a missing column', withCode('42703')],
    ['a missing table', withCode('42P01')],
    ['a full disk', withCode('ENOSPC', { syscall: 'write' })],
    ['a missing file', thrownBy(() => readFileSync('/nowhere/at/all'))],
  ] as const)('is retryable: %s', ([, error]) => {
    expect(faultOf(error)).toBe(error);
  });

  it('keeps the code gone for a redacted check', () => {
    const error = new Failure('gone');
    expect(faultOf(error)).toBe(error);
  });

  it.for([
    ['unreadable content', thrownBy(() => JSON.parse('{'))],
    ['invalid SQL', withCode('42601')],
    ['another file under its object key', new Failure('object_conflict')],
    ['no error value', undefined],
  ] as const)('is the fault of the affidavit: %s', ([, error]) => {
    expect(faultOf(error)).toMatchObject({ code: 'affidavit_unmakeable', cause: error });
  });

  it('keeps the code affidavit_invalid', () => {
    const error = new Failure('affidavit_invalid');
    expect(faultOf(error)).toBe(error);
  });
});
