import { asyncLocalStorage } from '@temporalio/activity';
import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import type { DestinationStream, Logger } from 'pino';
import { createLogger } from '../activities/runtime/log.ts';

/**
 * Returns the logger of a worker process. Lines of an activity carry its name and workflow id.
 * @param to destination of the lines; standard output by default
 */
export function createWorkerLog(level: string, to?: DestinationStream): Logger {
  return createLogger('worker', level, { ...(to && { to }), members: runningActivity });
}

function runningActivity(): Readonly<Record<string, unknown>> {
  const info = asyncLocalStorage.getStore()?.info;
  if (!info) return {};
  const { workflowExecution, activityType, attempt } = info;
  return { workflow_id: workflowExecution?.workflowId, activity: activityType, attempt };
}

const methods = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const;

/** New names for members of the SDK's log lines. Null removes the member. */
const renamed: Readonly<Record<string, string | null>> = {
  activityType: 'activity',
  error: 'err',
  taskToken: null,
};

/**
 * Returns a logger that writes the SDK's lines to the log of the process, with its levels and
 * limits.
 */
export function createSdkLogger(log: Logger): DefaultLogger {
  const level = log.isLevelEnabled('debug') ? 'DEBUG' : 'INFO';
  return new DefaultLogger(level, ({ level: at, message, meta = {} }: LogEntry) => {
    const members = Object.entries(meta).flatMap(([key, value]) => {
      const name = key in renamed ? renamed[key] : snakeCase(key);
      return name ? [[name, value] as const] : [];
    });
    log[methods[at]](Object.fromEntries(members), message);
  });
}

const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
