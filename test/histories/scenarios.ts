import type { Scenario } from './scenario.ts';
import { calendarScenarios } from './scenarios/calendar-scenarios.ts';
import { checkScenarios } from './scenarios/check-scenarios.ts';
import { emailScenarios } from './scenarios/email-scenarios.ts';
import { logoScenarios } from './scenarios/logo-scenarios.ts';
import { meetingScenarios } from './scenarios/meeting-scenarios.ts';
import { messageScenarios } from './scenarios/message-scenarios.ts';
import { phoneScenarios } from './scenarios/phone-scenarios.ts';
import { prescreenScenarios } from './scenarios/prescreen-scenarios.ts';
import { recallScenarios } from './scenarios/recall-scenarios.ts';
import { receiptScenarios } from './scenarios/receipt-scenarios.ts';
import { renewalScenarios } from './scenarios/renewal-scenarios.ts';
import { retentionScenarios } from './scenarios/retention-scenarios.ts';
import { signingScenarios } from './scenarios/signing-scenarios.ts';
import { trustListScenarios } from './scenarios/trust-list-scenarios.ts';
import { turnScenarios } from './scenarios/turn-scenarios.ts';

/** What is played one after the other; those that take long are played beside them. */
export const scenariosInTurn: readonly Scenario[] = [
  ...phoneScenarios,
  ...checkScenarios,
  ...messageScenarios,
  ...emailScenarios,
  ...meetingScenarios,
  ...turnScenarios,
  ...prescreenScenarios,
  ...trustListScenarios,
  ...receiptScenarios,
  ...recallScenarios,
  ...retentionScenarios,
  ...renewalScenarios,
  ...calendarScenarios,
  ...signingScenarios,
  ...logoScenarios,
];
