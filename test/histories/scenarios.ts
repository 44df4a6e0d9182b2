import { calendarScenarios } from './calendar-scenarios.ts';
import { checkScenarios } from './check-scenarios.ts';
import { emailScenarios } from './email-scenarios.ts';
import { meetingScenarios } from './meeting-scenarios.ts';
import { messageScenarios } from './message-scenarios.ts';
import { phoneScenarios } from './phone-scenarios.ts';
import { prescreenScenarios } from './prescreen-scenarios.ts';
import { recallScenarios } from './recall-scenarios.ts';
import { receiptScenarios } from './receipt-scenarios.ts';
import { renewalScenarios } from './renewal-scenarios.ts';
import { retentionScenarios } from './retention-scenarios.ts';
import { signingScenarios } from './signing-scenarios.ts';
import { trustListScenarios } from './trust-list-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { turnScenarios } from './turn-scenarios.ts';

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
];
