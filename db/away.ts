/**
 * PostgreSQL shutting down, starting, or out of connections (appendix A), and a broken connection.
 */
const states = new Set(['57P01', '57P02', '57P03', '53300', '08000', '08001', '08003', '08006']);
const socketFaults = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);
/** The driver names these by their text only. */
const driverFaults = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed',
];

/** Whether a fault says that the database is away, not that a statement was wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (states.has(code) || socketFaults.has(code)) return true;
  return driverFaults.some((text) => error.message.startsWith(text));
}
