import type { SpecimenFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import type { SpecimenName } from '../../../api/links/visitor/pages/specimens.ts';
import { Around, Current } from '../app.tsx';
import { specimens } from './specimens.tsx';
import { checkOfSpecimen, factsOfSpecimen } from './states.ts';

interface Props {
  readonly name: SpecimenName;
  readonly facts: SpecimenFacts;
}

/** The page of a check in a specimen state. */
export function SpecimenPage({ name, facts: given }: Props) {
  const { facts: more = {}, held = {}, Screen = null } = specimens[name];
  const facts = factsOfSpecimen(given, more);
  const check = checkOfSpecimen(held);
  return (
    <Around facts={facts} check={check}>
      {Screen && check.state ? (
        <Screen facts={facts} check={check} state={check.state} />
      ) : (
        <Current facts={facts} check={check} />
      )}
    </Around>
  );
}
