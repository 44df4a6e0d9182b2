import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Long test files that mostly use the CPU, or start programs that do. */
const busy = [
  '/test/campaigns/chaos/',
  '/test/campaigns/failpoints/',
  '/test/campaigns/rotation/',
  '/test/campaigns/fuzz/campaign',
  '/test/cli/',
  '/test/activities/proofs/document/',
  '/test/activities/proofs/face/read',
  '/test/campaigns/mutants/',
  '/test/api/trust-checks/submit/document',
  '/test/api/trust-checks/submit/face-shown',
  '/test/api/authz/matrix',
  '/test/e2e/',
  '/test/campaigns/forgeries/',
  '/test/laws/interface/canary-families',
  '/test/campaigns/races/http/',
  '/test/campaigns/simulator/causes',
  '/test/web/verify/page',
  '/test/workflows/replay',
];

/** Long test files that mostly wait: for a deadline, for an unavailable server, for a retry. */
const waiting = [
  '/test/activities/affidavit/given-up',
  '/test/activities/affidavit/upgrade',
  '/test/activities/calendar/openid',
  '/test/unit/keys/custody/aws-kms',
  '/test/unit/mail/smtp',
  '/test/unit/runtime/readiness',
  '/test/api/access/authorization',
  '/test/api/system/away',
  '/test/api/calendar/callback',
  '/test/api/devices/attest-faults',
  '/test/api/events/ended-sockets',
  '/test/api/meetings/away',
  '/test/api/http/slow-bodies',
  '/test/api/system/tracing',
  '/test/api/trust-checks/submit/evidence-cut',
  '/test/api/trust-checks/submit/face-provider',
  '/test/api/trust-checks/review/review',
  '/test/api/trust-checks/session',
  '/test/api/trust-checks/begin/uses',
  '/test/db/migrate',
  '/test/workflows/actions',
  '/test/workflows/deadlines',
  '/test/workflows/device-rec',
  '/test/workflows/turns',
];

/**
 * Runs long test files first, even without timings of an earlier run: a long file at the end would
 * keep the other processes idle. Spreads waiting files among busy ones, because many at once would
 * leave the machine idle. Vitest requires a class.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isOf = (kind: readonly string[], { moduleId }: TestSpecification): boolean =>
      kind.some((path) => moduleId.includes(path));
    const waits = sorted.filter((file) => isOf(waiting, file));
    const works = sorted.filter((file) => !isOf(waiting, file));
    const others = [
      ...works.filter((file) => isOf(busy, file)),
      ...works.filter((file) => !isOf(busy, file)),
    ];
    const mixed = waits.flatMap((file) => [...others.splice(0, 2), file]);
    return [...mixed, ...others];
  }
}
