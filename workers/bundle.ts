import { bundleWorkflowCode, type WorkflowBundle } from '@temporalio/worker';
import type { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry-v2';

/** Bundles every workflow once for all workers of a process, tracing interceptors included. */
export async function bundleWorkflows(plugin: OpenTelemetryPlugin): Promise<WorkflowBundle> {
  return bundleWorkflowCode({
    workflowsPath: new URL('../workflows/index.ts', import.meta.url).pathname,
    plugins: [plugin],
    logger: quiet,
  });
}

const silent = (): void => undefined;
const quiet = {
  log: silent,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: (message: string) => void process.stderr.write(`${message}\n`),
};
