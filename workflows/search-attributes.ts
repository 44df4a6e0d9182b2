/** A key as the SDK has it; the workflow SDK does not export what makes one. */
const keyword = (name: string) => ({ name, type: 'KEYWORD' }) as const;
const keywordList = (name: string) => ({ name, type: 'KEYWORD_LIST' }) as const;

/** What an operator can search workflows by. Never encrypted: ids and enums, no personal data. */
export const accountIdKey = keyword('AccountId');
export const appIdKey = keyword('AppId');
export const flowKindKey = keyword('FlowKind');
export const linkUuidKey = keyword('LinkUuid');
export const platformKey = keyword('Platform');
export const proofTypesKey = keywordList('ProofTypes');
export const outcomeKey = keyword('Outcome');
export const failureCodeKey = keyword('FailureCode');
export const requestIdKey = keyword('RequestId');

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
