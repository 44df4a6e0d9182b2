/** Search attribute key of the SDK's form. The workflow SDK does not export its constructor. */
const keyword = (name: string) => ({ name, type: 'KEYWORD' }) as const;
const keywordList = (name: string) => ({ name, type: 'KEYWORD_LIST' }) as const;

/**
 * Attributes by which operators search workflows. They are not encrypted: ids and enums only, no
 * personal data.
 */
export const accountIdKey = keyword('AccountId');
export const appIdKey = keyword('AppId');
export const flowKindKey = keyword('FlowKind');
export const linkUuidKey = keyword('LinkUuid');
export const platformKey = keyword('Platform');
export const proofTypesKey = keywordList('ProofTypes');
export const outcomeKey = keyword('Outcome');
export const failureCodeKey = keyword('FailureCode');
export const requestIdKey = keyword('RequestId');

/** Every attribute, to register with a development server or a production namespace. */
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
