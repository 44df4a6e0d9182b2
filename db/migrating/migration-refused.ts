import pg from 'pg';

/** https://www.postgresql.org/docs/18/errcodes-appendix.html. */
const insufficientPrivilege = '42501';
/** A lock that was not to be had in time, and a ring of waiters that was broken at our place. */
const heldUp: readonly (string | undefined)[] = ['55P03', '40P01'];

/**
 * Why a database is not migrated, or not ready for a process:
 * - `busy`: another process migrates it, or holds a table of it, for too long
 * - `newer`: a newer build has migrated it
 * - `other`: a build that this one does not know has migrated it, before this one was made
 * - `pending`: it lacks migrations of this build
 * - `roles`: its server lacks the role of a process
 * - `forbidden`: the role may not read which migrations are applied, apply them, or grant
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

/** A database this process cannot work on, told in one line. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
  readonly reason: MigrationRefusal;

  constructor(reason: MigrationRefusal, line: string, options?: { cause: unknown }) {
    super(line, options);
    this.reason = reason;
  }
}

/** What the database said: the migrator puts the statement around it. */
export function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

export function isForbidden(error: unknown): boolean {
  return codeOf(error) === insufficientPrivilege;
}

/** Whether somebody else held what a statement needed. */
export function isHeldUp(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && heldUp.includes(code);
}

function codeOf(error: unknown): string | undefined {
  const cause = causeOf(error);
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}
