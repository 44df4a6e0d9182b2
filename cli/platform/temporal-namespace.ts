import { Connection, type TLSConfig } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import { searchAttributeKeys } from '../../workflows/search-attributes.ts';

const callMsMax = 5_000;
const settleMsMax = 30_000;
const retention = '30d';
type IndexedValueType = temporal.api.enums.v1.IndexedValueType;
/** temporal.api.enums.v1.IndexedValueType. */
const indexedAs: Readonly<Record<'KEYWORD' | 'KEYWORD_LIST', IndexedValueType>> = {
  KEYWORD: 2,
  KEYWORD_LIST: 7,
};
/** gRPC: NOT_FOUND and ALREADY_EXISTS. */
const [notFound, alreadyExists] = [5, 6];

export interface NamespacePlace {
  readonly address: string;
  readonly namespace: string;
  readonly tls?: TLSConfig | undefined;
}

/**
 * Makes a namespace and the search attributes of the platform in it, where they are missing.
 * A server with its own roles may refuse: then it must have both already.
 */
export async function prepareNamespace({ address, namespace, tls }: NamespacePlace): Promise<void> {
  const connection = Connection.lazy({ address, ...(tls && { tls }) });
  try {
    await register(connection, namespace);
    await settle(() => addSearchAttributes(connection, namespace));
  } finally {
    await connection.close();
  }
}

async function register(connection: Connection, namespace: string): Promise<void> {
  const found = await call(connection, () =>
    connection.workflowService.describeNamespace({ namespace }),
  ).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === notFound) return false;
      throw error;
    },
  );
  if (found) return;
  await call(connection, () =>
    connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(retention),
    }),
  ).catch((error: unknown) => {
    if (codeOf(error) !== alreadyExists) throw error;
  });
}

async function addSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { operatorService } = connection;
  const { customAttributes } = await call(connection, () =>
    operatorService.listSearchAttributes({ namespace }),
  );
  const missing = searchAttributeKeys.filter(({ name }) => !(name in customAttributes));
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(
    missing.map(({ name, type }) => [name, indexedAs[type]]),
  );
  await call(connection, () =>
    operatorService.addSearchAttributes({ namespace, searchAttributes }),
  ).catch((error: unknown) => {
    if (codeOf(error) !== alreadyExists) throw error;
  });
}

/** A new namespace is known to all parts of the server only seconds after it is registered. */
async function settle(attempt: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + settleMsMax;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (codeOf(error) !== notFound || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

function call<T>(connection: Connection, request: () => Promise<T>): Promise<T> {
  return connection.withDeadline(Date.now() + callMsMax, request);
}

function codeOf(error: unknown): number | undefined {
  return (error as { code?: number }).code;
}
