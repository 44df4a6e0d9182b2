import { chipPortrait, holder } from '../../simulator/face/face.ts';
import type { Person } from '../../simulator/face/people.ts';

/** The holder of the passport specimen of ICAO (`SOURCES.md` of the vectors). */
export const specimenPerson = async (): Promise<Person> => ({
  name: 'specimen',
  group: 'specimen',
  head: await holder(),
  portrait: chipPortrait(),
});
