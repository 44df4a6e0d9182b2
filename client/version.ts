import type { ApiVersion } from './contracts.ts';

/** The version of the interface that this client is written for; every call sends it. */
export const apiVersion: ApiVersion = '2026-11-25';
