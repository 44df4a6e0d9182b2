/**
 * SQLSTATE codes that mean the database is unavailable (PostgreSQL manual, appendix A): shutdown,
 * startup, too many connections, broken connection. Also statements and transactions that the
 * server ended because of a conflict or a time limit.
 */
const states = new Set([
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08000',
  '08001',
  '08003',
  '08006',
  // Statement timeout, idle in transaction, lock timeout, deadlock, serialization failure.
  '57014',
  '25P03',
  '55P03',
  '40P01',
  '40001',
]);
const socketFaults = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);
/** The driver gives these errors no code, only a message. */
const driverFaults = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed',
];

/** SQLSTATE 0A000 also means "feature not supported"; only the message distinguishes the two. */
const stalePlan = { state: '0A000', message: 'cached plan must not change result type' } as const;

/**
 * Returns true if an error means that the database is unavailable, not that a statement is wrong.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  if (isPlanStale(error)) return true;
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (states.has(code) || socketFaults.has(code)) return true;
  return driverFaults.some((text) => error.message.startsWith(text));
}

/**
 * Returns true if a migration changed the result type of a statement that this connection had
 * prepared. The plan lives as long as the connection, so a retry must use another connection.
 */
export function isPlanStale(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === stalePlan.state && error.message === stalePlan.message;
}
