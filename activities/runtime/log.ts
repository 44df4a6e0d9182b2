import { isSpanContextValid, trace } from '@opentelemetry/api';
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';

/** Members whose values never reach a log, wherever they stand in an object. */
const secretNames = [
  'access_token',
  'api_key',
  'authorization',
  'attest',
  'client_secret',
  'code',
  'email',
  'full_name',
  'id_token',
  'join_token',
  'jwt',
  'link_token',
  'pair_token',
  'play_token',
  'phone_number',
  'raw_jwt',
  'refresh_token',
  'resume_token',
  'secret',
  'session_token',
  'check_token',
  'token',
  'verified_claims_token',
];

export interface LogOptions {
  /** Where the lines go; standard output by default. */
  readonly to?: DestinationStream;
  /** Members of each line, read when it is written. */
  readonly members?: () => Readonly<Record<string, unknown>>;
}

/** The logger of one process: JSON lines, with secrets cut out. */
export function createLogger(
  name: string,
  level: string,
  { to, members = () => ({}) }: LogOptions = {},
): Logger {
  const paths = secretNames.flatMap((secret) => [secret, `*.${secret}`, `*.*.${secret}`]);
  const options: LoggerOptions = {
    name,
    level,
    redact: { paths, censor: '[cut]' },
    base: { pid: process.pid },
    mixin: () => ({ ...traceOf(), ...members() }),
    serializers: { err: faultOf },
  };
  return to ? pino(options, to) : pino(options);
}

/** The trace a line belongs to, where there is one. */
function traceOf(): Record<string, string> {
  const span = trace.getActiveSpan()?.spanContext();
  return span && isSpanContextValid(span) ? { trace_id: span.traceId } : {};
}

/** What databases say besides, which quotes the values they choked on. */
const quoting = ['detail', 'where', 'hint', 'internalQuery', 'query', 'parameters'];

/** A fault as it is logged, with those that caused it, without quotations of data. */
function faultOf(error: Error): Record<string, unknown> {
  const fault: Record<string, unknown> = { ...pino.stdSerializers.err(error) };
  for (const name of quoting) delete fault[name];
  const { cause } = error;
  return cause instanceof Error ? { ...fault, cause: faultOf(cause) } : fault;
}
