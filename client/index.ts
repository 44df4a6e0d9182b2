export { createBrowserKey, makeKeyPair } from './browser-key.ts';
export type { BrowserKey, BrowserKeyPair, SignedFacts } from './browser-key.ts';
export { createClient } from './create-client.ts';
export type { CallOptions, Client, ClientOptions, Operation } from './create-client.ts';
export type {
  Event,
  FailureCode,
  OperationId,
  Params,
  ResultOf,
  ValidationFault,
} from './contracts.ts';
export { apiVersion } from './version.ts';
export { ApiError, ConnectionError } from './errors.ts';
export type { Feed } from './pages.ts';
export type { RetryPolicy } from './retry.ts';
export type { AnswerFacts, AttestFacts } from './send.ts';
export { verifyWebhook, WebhookRefused } from './verify-webhook.ts';
export type { ReceivedWebhook, WebhookFault } from './verify-webhook.ts';
