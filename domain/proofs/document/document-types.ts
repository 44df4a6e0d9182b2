/** Document types, by the names that claims use. */
export const documentTypes = ['passport', 'identity_card', 'driving_licence', 'visa'] as const;
export type DocumentType = (typeof documentTypes)[number];
