import { bundleWorkflowCode, type WorkflowBundle } from '@temporalio/worker';

/** Bundles every workflow, once for all workers of a process. */
export async function bundleWorkflows(): Promise<WorkflowBundle> {
  return bundleWorkflowCode({
    workflowsPath: path('../workflows/index.ts'),
    workflowInterceptorModules: [path('../workflows/trace-context.ts')],
    logger: quiet,
  });
}

const path = (file: string): string => new URL(file, import.meta.url).pathname;

const silent = (): void => undefined;
const quiet = {
  log: silent,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: (message: string) => void process.stderr.write(`${message}\n`),
};
