/**
 * PostgreSQL shutting down, starting, or out of connections (appendix A), and a broken connection;
 * a statement or a transaction that it has ended because others stood in its way.
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
  // Statement time-out, idle in transaction, lock time-out, deadlock, serialization.
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
/** The driver names these by their text only. */
const driverFaults = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed',
];

/** The state is shared with what is not supported at all: the text alone tells them apart. */
const stalePlan = { state: '0A000', message: 'cached plan must not change result type' } as const;

/** Whether a fault says that the database is away, not that a statement was wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  if (isPlanStale(error)) return true;
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (states.has(code) || socketFaults.has(code)) return true;
  return driverFaults.some((text) => error.message.startsWith(text));
}

/**
 * Whether a migration has changed what a statement gives since this connection prepared it. The
 * plan lives as long as the connection: another connection answers.
 */
export function isPlanStale(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === stalePlan.state && error.message === stalePlan.message;
}
