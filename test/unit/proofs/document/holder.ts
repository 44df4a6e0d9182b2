/** The holder of the ICAO 9303-4 specimen. */
export const holder = {
  surname: 'ERIKSSON',
  givenNames: 'ANNA MARIA',
  dateOfBirth: '1974-08-12',
  sex: 'F',
  nationality: 'UTO',
} as const;
