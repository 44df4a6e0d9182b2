/** What a person may hold before the camera of this phone, by the names of the claim. */
export const shownDocuments = ['passport', 'identity_card', 'driving_licence'] as const;
export type ShownDocument = (typeof shownDocuments)[number];

/** The one of that name, if there is one. */
export const shownDocumentOf = (name: string): ShownDocument | undefined =>
  shownDocuments.find((known) => known === name);
