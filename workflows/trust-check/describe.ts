import type { TrustCheckSession } from './session.ts';
import { nextDeadline } from './session.ts';

/** The session for an operator's eye, in Markdown: states and deadlines, no personal data. */
export function describe(session: TrustCheckSession): string {
  const { snapshot } = session;
  const deadline = nextDeadline(session);
  const rows = snapshot.proofs.map(
    (proof) =>
      `| ${proof.type} | ${proof.status} | ${proof.attempt} of ${proof.max_attempts} | ${proof.reason_code ?? ''} |`,
  );
  return [
    `**${snapshot.status}**${snapshot.reason_code ? ` (${snapshot.reason_code})` : ''}`,
    '',
    '| proof | state | attempt | reason |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    `If nobody acts: ${deadline.on} at ${new Date(deadline.atMs).toISOString()}`,
  ].join('\n');
}
