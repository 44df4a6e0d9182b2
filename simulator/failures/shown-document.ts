/** Documents that a person may hold in front of this phone's camera, as named in the claim. */
export const shownDocuments = ['passport', 'identity_card', 'driving_licence'] as const;
export type ShownDocument = (typeof shownDocuments)[number];

export const shownDocumentOf = (name: string): ShownDocument | undefined =>
  shownDocuments.find((known) => known === name);
