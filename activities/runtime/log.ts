import { isSpanContextValid, trace } from '@opentelemetry/api';
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';

/** Properties whose values never reach a log, up to two levels deep in an object. */
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
  /** Destination of the lines; standard output by default. */
  readonly to?: DestinationStream;
  /** Extra properties of each line, read when the line is written. */
  readonly members?: () => Readonly<Record<string, unknown>>;
}

/** Creates the logger of one process: JSON lines, with secrets redacted. */
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

/** Returns the id of the active trace, if there is one. */
function traceOf(): Record<string, string> {
  const span = trace.getActiveSpan()?.spanContext();
  return span && isSpanContextValid(span) ? { trace_id: span.traceId } : {};
}

/** Properties of database errors that quote the rejected values. */
const quoting = ['detail', 'where', 'hint', 'internalQuery', 'query', 'parameters'];

/** Serializes an error with its causes, without properties that quote data. */
function faultOf(error: Error): Record<string, unknown> {
  const fault: Record<string, unknown> = { ...pino.stdSerializers.err(error) };
  for (const name of quoting) delete fault[name];
  const { cause } = error;
  return cause instanceof Error ? { ...fault, cause: faultOf(cause) } : fault;
}
