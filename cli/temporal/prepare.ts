import { temporalTlsOf } from '../../activities/runtime/temporal-tls.ts';
import { printable } from '../command-line/printable.ts';
import { environment } from '../environment.ts';
import { prepareNamespace } from './namespace.ts';

/**
 * Creates the namespace and its search attributes at the server in the environment. Both may
 * already exist.
 * @returns 0, or 1 with the reason on standard error
 */
export async function prepareTemporal(): Promise<number> {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE } = environment();
  const namespace = TEMPORAL_NAMESPACE || 'default';
  if (!address) {
    process.stderr.write('set TEMPORAL_ADDRESS to the address of the Temporal server\n');
    return 1;
  }
  try {
    await prepareNamespace({ address, namespace, tls: temporalTlsOf(environment()) });
    return 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${printable(`${address}, namespace ${namespace}: ${reason}`)}\n`);
    return 1;
  }
}
