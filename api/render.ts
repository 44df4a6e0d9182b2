import type { Pages } from './pages.ts';
import { calendarPage } from './pages/calendar.ts';
import { linkCard } from './pages/card.ts';
import { checkPage } from './pages/check.ts';
import { emailPage } from './pages/email.ts';
import { outboxPage } from './pages/outbox.ts';
import { problemPage } from './pages/problem.ts';
import { successCard, successPage } from './pages/success.ts';
import { verifierPage } from './pages/verifier.ts';
import { affidavitPage } from './pages/verify.ts';

/**
 * Makes the renderer of one process.
 * @param isDevelopment whether simulated evidence is taken, which the page of a check says
 */
export function createPages(baseUrl: string, isDevelopment: boolean): Pages {
  return {
    affidavit: (facts) => affidavitPage(facts, baseUrl),
    calendar: calendarPage,
    check: (facts) => checkPage(facts, isDevelopment),
    email: emailPage,
    linkCard,
    outbox: (messages) => outboxPage(messages, baseUrl),
    problem: problemPage,
    success: successPage,
    successCard,
    verifier: (facts) => verifierPage(facts, isDevelopment),
  };
}
