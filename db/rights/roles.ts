/** The database roles. The owner has no rights beyond the ownership of its objects. */
export const databaseRoles = {
  /** Owns the database; runs the migrations and the operator commands. */
  owner: 'trustcheck',
  api: 'trustcheck_api',
  worker: 'trustcheck_worker',
} as const;

export type DatabaseRole = keyof typeof databaseRoles;
