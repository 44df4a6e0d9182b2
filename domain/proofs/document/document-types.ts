/** Kinds of documents, as claims name them. */
export const documentTypes = ['passport', 'identity_card', 'driving_licence', 'visa'] as const;
export type DocumentType = (typeof documentTypes)[number];
