import { asyncLocalStorage } from '@temporalio/activity';
import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import type { DestinationStream, Logger } from 'pino';
import { createLogger } from '../activities/runtime/log.ts';

/**
 * The logger of a worker process. Each line of an activity names it.
 * @param to where the lines go; standard output by default
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

/** Members of a line of the SDK that have another name in ours; null for those left out. */
const renamed: Readonly<Record<string, string | null>> = {
  activityType: 'activity',
  error: 'err',
  taskToken: null,
};

/** Writes the lines of the SDK to the log of the process, with its levels and its cuts. */
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
