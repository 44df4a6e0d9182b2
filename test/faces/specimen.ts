import { chipPortrait, holder } from '../../cli/phone/face.ts';
import type { Person } from '../../cli/phone/people.ts';

/** The holder of the passport specimen of ICAO (`SOURCES.md` of the vectors). */
export const specimenPerson = async (): Promise<Person> => ({
  name: 'specimen',
  group: 'specimen',
  head: await holder(),
  portrait: chipPortrait(),
});
