import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, type TLSConfig } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { searchAttributeKeys } from '../../workflows/search-attributes.ts';

const msMax = 30_000;
const retryMs = 250;
const retention = '30d';
/** temporal.api.enums.v1.IndexedValueType. */
const indexedAs = { KEYWORD: 2, KEYWORD_LIST: 7 } as const;
/** gRPC: NOT_FOUND and ALREADY_EXISTS. */
const [notFound, alreadyExists] = [5, 6];

export interface NamespacePlace {
  readonly address: string;
  readonly namespace: string;
  readonly tls?: TLSConfig | undefined;
}

/**
 * Creates a namespace and the platform's search attributes in it, if they are missing. A server
 * with its own roles may refuse; both must then exist already.
 */
export async function prepareNamespace({ address, namespace, tls }: NamespacePlace): Promise<void> {
  const connection = Connection.lazy({ address, ...(tls && { tls }) });
  try {
    await connection.withDeadline(Date.now() + msMax, () => prepare(connection, namespace));
  } finally {
    await connection.close();
  }
}

async function prepare(
  { workflowService, operatorService }: Connection,
  namespace: string,
): Promise<void> {
  const workflowExecutionRetentionPeriod = msToTs(retention);
  if (!(await unless([notFound], workflowService.describeNamespace({ namespace })))) {
    const wanted = { namespace, workflowExecutionRetentionPeriod };
    await unless([alreadyExists], workflowService.registerNamespace(wanted));
  }
  // The parts of the server see a new namespace only seconds after it is registered.
  for (;;) {
    const found = await unless([notFound], operatorService.listSearchAttributes({ namespace }));
    const missing = searchAttributeKeys.filter(
      ({ name }) => !found || !(name in found.customAttributes),
    );
    if (missing.length === 0) return;
    const entries = missing.map(({ name, type }) => [name, indexedAs[type]] as const);
    const wanted = { namespace, searchAttributes: Object.fromEntries(entries) };
    await unless([notFound, alreadyExists], operatorService.addSearchAttributes(wanted));
    await sleep(retryMs);
  }
}

/** Returns the response, or null if the server refuses with one of these codes. */
function unless<T>(codes: readonly number[], answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (codes.includes(Object(error).code)) return null;
    throw error;
  });
}
