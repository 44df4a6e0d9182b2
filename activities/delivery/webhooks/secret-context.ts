/** Returns the context under which an endpoint's secret is sealed. */
export const secretContext = (endpointId: string): string =>
  `webhook_endpoints|secret|${endpointId}`;
