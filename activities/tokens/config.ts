import { z } from 'zod';
import { sessionLifeMs, type SessionLives } from './session-token.ts';

/** Longest life of a session: one day (NIST SP 800-63B-4 §2.2.3). */
const lifeSecondsMax = 24 * 3600;
const life = (usualMs: number) =>
  z.coerce
    .number()
    .int()
    .min(60)
    .max(lifeSecondsMax)
    .default(usualMs / 1000);

/** Life of a session by its assurance. */
export const sessionConfig = z.object({
  SESSION_CERT_SECONDS: life(sessionLifeMs.cert).describe(
    'Lifetime in seconds of a session that a certified device starts, from 60 to 86400.',
  ),
  SESSION_EMAIL_SECONDS: life(sessionLifeMs.email).describe(
    'Lifetime in seconds of a session that an emailed link starts, from 60 to 86400.',
  ),
});

/** Returns the configured lives of sessions, in milliseconds. */
export function sessionLivesOf(config: z.output<typeof sessionConfig>): SessionLives {
  return { cert: config.SESSION_CERT_SECONDS * 1000, email: config.SESSION_EMAIL_SECONDS * 1000 };
}
