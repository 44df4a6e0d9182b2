import { isDatabaseUnavailable } from '../../db/connection-errors.ts';
import { Failure } from '../../workflows/failures.ts';
import { affidavitFaults } from '../../workflows/affidavit-faults.ts';

/**
 * Classes of SQLSTATE (PostgreSQL appendix A) that pass: connection, transaction state, rollback by
 * conflict, resources, object in use, operator, system.
 */
const passingClasses = /^(08|25|40|53|55|57|58)[0-9A-Z]{3}$/;

/**
 * A schema that is older or newer than this process, in the midst of an upgrade: a feature or plan
 * that no longer fits, an unknown column, an unknown table.
 */
const upgradeStates = new Set(['0A000', '42703', '42P01']);

/**
 * A fault of issuing as the workflow must see it: itself when it passes (a store, the database or
 * the system is away, full or being upgraded) or when its check was redacted, else one of the
 * affidavit. Whatever is not known to pass is counted: a fault that was judged too harshly is tried
 * again the next day, one that never passes ends.
 */
export function faultOf(error: unknown): unknown {
  const isKnown = error instanceof Failure && affidavitFaults.some((code) => code === error.code);
  const isRedacted = error instanceof Failure && error.code === 'gone';
  if (isKnown || isRedacted || doesPass(error)) return error;
  return new Failure('affidavit_unmakeable', { cause: error });
}

function doesPass(error: unknown): boolean {
  if (error instanceof Failure) return error.code === 'dependency_unavailable';
  if (isDatabaseUnavailable(error)) return true;
  if (!(error instanceof Error)) return false;
  // Nobody wants it done any more; whoever does it next begins anew.
  if (error.name === 'AbortError') return true;
  const isOfSystem = 'syscall' in error && typeof error.syscall === 'string';
  const state = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return isOfSystem || passingClasses.test(state) || upgradeStates.has(state);
}
