import type { Pages } from './pages.ts';
import { linkCard } from './pages/card.ts';
import { checkPage } from './pages/check.ts';
import { emailPage } from './pages/email.ts';
import { outboxPage } from './pages/outbox.ts';
import { problemPage } from './pages/problem.ts';
import { successCard, successPage } from './pages/success.ts';
import { affidavitPage } from './pages/verify.ts';

/** Makes the renderer of one process. */
export function createPages(baseUrl: string): Pages {
  return {
    affidavit: (facts) => affidavitPage(facts, baseUrl),
    check: checkPage,
    email: emailPage,
    linkCard,
    outbox: (messages) => outboxPage(messages, baseUrl),
    problem: problemPage,
    success: successPage,
    successCard,
  };
}
