import pg from 'pg';

/** https://www.postgresql.org/docs/18/errcodes-appendix.html. */
const insufficientPrivilege = '42501';
/** lock_not_available, deadlock_detected. */
const heldUp: readonly (string | undefined)[] = ['55P03', '40P01'];

/**
 * Why a database is not migrated, or not ready for a process:
 * - `busy`: another process migrates it, or holds a lock on a table for too long
 * - `newer`: a newer build migrated it
 * - `other`: an unknown build migrated it, before this build was made
 * - `pending`: it lacks migrations of this build
 * - `roles`: the server lacks the role of a process
 * - `forbidden`: the role may not read the applied migrations, apply migrations, or grant
 * - `silent`: it does not answer
 */
export type MigrationRefusal =
  | 'busy'
  | 'newer'
  | 'other'
  | 'pending'
  | 'roles'
  | 'forbidden'
  | 'silent';

/** This process cannot use the database. The message is one line. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
  readonly reason: MigrationRefusal;

  constructor(reason: MigrationRefusal, line: string, options?: { cause: unknown }) {
    super(line, options);
    this.reason = reason;
  }
}

/** Returns the error of the database; the migrator wraps it together with the statement. */
export function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

export function isForbidden(error: unknown): boolean {
  return codeOf(error) === insufficientPrivilege;
}

/** Returns true if another transaction held a lock that the statement needed. */
export function isHeldUp(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && heldUp.includes(code);
}

function codeOf(error: unknown): string | undefined {
  const cause = causeOf(error);
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}
