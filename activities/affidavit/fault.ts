import { isDatabaseUnavailable } from '../../db/connection-errors.ts';
import { Failure } from '../../workflows/failures.ts';
import { affidavitFaults } from '../../workflows/affidavit-faults.ts';

/**
 * Temporary classes of SQLSTATE (PostgreSQL appendix A): connection, transaction state, rollback by
 * conflict, resources, object in use, operator, system.
 */
const passingClasses = /^(08|25|40|53|55|57|58)[0-9A-Z]{3}$/;

/**
 * SQLSTATEs of a schema that is older or newer than this process during an upgrade: a feature or
 * plan that does not fit, an unknown column, an unknown table.
 */
const upgradeStates = new Set(['0A000', '42703', '42P01']);

/**
 * Maps a fault of issuing to the error for the workflow. A temporary fault (a store, the database
 * or the system is unavailable, full or being upgraded) and `gone` stay as they are. All others
 * become faults of the affidavit, which the workflow counts. A temporary fault that is misjudged is
 * retried the next day; a permanent one ends.
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
  // The work was canceled. The next run starts from the beginning.
  if (error.name === 'AbortError') return true;
  const isOfSystem = 'syscall' in error && typeof error.syscall === 'string';
  const state = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return isOfSystem || passingClasses.test(state) || upgradeStates.has(state);
}
