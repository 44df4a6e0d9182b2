import type { ApiVersion } from './contracts.ts';

/** Version of the interface for which this client is written. Every call sends it. */
export const apiVersion: ApiVersion = '2026-11-25';
