/**
 * Scopes of API keys: the families of operations that accept keys, each to read or to write. A test
 * compares the list with the contract tables.
 */
export const scopes = [
  'accounts:read',
  'accounts:write',
  'api_keys:read',
  'api_keys:write',
  'apps:read',
  'apps:write',
  'audit:read',
  'calendar:read',
  'calendar:write',
  'deliveries:read',
  'deliveries:write',
  'events:read',
  'links:read',
  'links:write',
  'logs:read',
  'meetings:read',
  'meetings:write',
  'members:read',
  'members:write',
  'rate_limits:read',
  'sandbox:write',
  'sso_providers:read',
  'sso_providers:write',
  'trust_checks:read',
  'trust_checks:write',
  'webhook_endpoints:read',
  'webhook_endpoints:write',
] as const;
export type Scope = (typeof scopes)[number];

/** Returns the known scopes among the given texts. */
export const scopesIn = (held: readonly string[]): Scope[] =>
  scopes.filter((scope) => held.includes(scope));
