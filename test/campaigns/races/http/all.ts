import type { Race } from '../../../support/races/race.ts';
import { accountRaces } from './accounts.ts';
import { checkRaces } from './checks.ts';
import { emailRaces } from './emails.ts';
import { linkRaces } from './links.ts';
import { outcomeRaces } from './outcomes.ts';
import { peopleRaces } from './people.ts';
import { personRaces } from './persons.ts';
import { sessionRaces } from './sessions.ts';
import { tokenRaces } from './tokens.ts';

/** The races over HTTP, against the running platform. */
export const httpRaces: readonly Race[] = [
  ...tokenRaces,
  ...emailRaces,
  ...peopleRaces,
  ...sessionRaces,
  ...accountRaces,
  ...linkRaces,
  ...checkRaces,
  ...personRaces,
  ...outcomeRaces,
];
