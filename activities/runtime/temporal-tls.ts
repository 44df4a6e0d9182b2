import { readFileSync } from 'node:fs';
import type { TLSConfig } from '@temporalio/client';
import { wholeOf } from './config.ts';

/** Names of the settings; each holds the path of a PEM file. */
export interface TemporalTlsSettings {
  readonly TEMPORAL_TLS_CA?: string | undefined;
  readonly TEMPORAL_TLS_CERT?: string | undefined;
  readonly TEMPORAL_TLS_KEY?: string | undefined;
}

/**
 * Mutual TLS with the Temporal server: the CA that signed the server's certificate, and the
 * certificate and key of this client. The files are read once, so a renewed certificate needs a
 * restart.
 * @returns undefined without settings: the connection is plain text
 * @throws one line that names the missing setting or the file that cannot be read
 */
export function temporalTlsOf(settings: TemporalTlsSettings): TLSConfig | undefined {
  const { TEMPORAL_TLS_CA, TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY } = settings;
  const paths = wholeOf({
    // A setting that is empty in the environment counts as absent.
    TEMPORAL_TLS_CA: TEMPORAL_TLS_CA || undefined,
    TEMPORAL_TLS_CERT: TEMPORAL_TLS_CERT || undefined,
    TEMPORAL_TLS_KEY: TEMPORAL_TLS_KEY || undefined,
  });
  if (paths === null) return undefined;
  return {
    serverRootCACertificate: readPem('TEMPORAL_TLS_CA', paths.TEMPORAL_TLS_CA),
    clientCertPair: {
      crt: readPem('TEMPORAL_TLS_CERT', paths.TEMPORAL_TLS_CERT),
      key: readPem('TEMPORAL_TLS_KEY', paths.TEMPORAL_TLS_KEY),
    },
  };
}

function readPem(name: string, path: string): Buffer {
  try {
    const pem = readFileSync(path);
    if (!pem.includes('-----BEGIN ')) throw new Error(`${path} is not a PEM file`);
    return pem;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`wrong settings: ${name}: ${reason}`, { cause });
  }
}
