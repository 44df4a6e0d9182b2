/** The database roles. The owner has no more rights than its own objects give it. */
export const databaseRoles = {
  /** Owns the database; runs migrations and the commands of an operator. */
  owner: 'trustcheck',
  api: 'trustcheck_api',
  worker: 'trustcheck_worker',
} as const;

export type DatabaseRole = keyof typeof databaseRoles;
