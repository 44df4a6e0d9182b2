import { defineSearchAttributeKey } from '@temporalio/common';

/** What an operator can search workflows by. Never encrypted: ids and enums, no personal data. */
export const accountIdKey = defineSearchAttributeKey('AccountId', 'KEYWORD');
export const appIdKey = defineSearchAttributeKey('AppId', 'KEYWORD');
export const flowKindKey = defineSearchAttributeKey('FlowKind', 'KEYWORD');
export const linkUuidKey = defineSearchAttributeKey('LinkUuid', 'KEYWORD');
export const platformKey = defineSearchAttributeKey('Platform', 'KEYWORD');
export const proofTypesKey = defineSearchAttributeKey('ProofTypes', 'KEYWORD_LIST');
export const outcomeKey = defineSearchAttributeKey('Outcome', 'KEYWORD');
export const failureCodeKey = defineSearchAttributeKey('FailureCode', 'KEYWORD');
export const requestIdKey = defineSearchAttributeKey('RequestId', 'KEYWORD');

/** Every attribute, for the start of a development server and the namespace of a real one. */
export const searchAttributeKeys = [
  accountIdKey,
  appIdKey,
  flowKindKey,
  linkUuidKey,
  platformKey,
  proofTypesKey,
  outcomeKey,
  failureCodeKey,
  requestIdKey,
] as const;
