import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They take long, most of it work of their own or of programs that they start. */
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

/** They take long, since they wait: for a deadline, for what is away, for the next try. */
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
 * Begins with the files that take long, also where no run has told yet how long each takes: one of
 * them at the end would keep the other processes idle. Those that wait come one by one between those
 * that work: many at once would leave the machine idle. Vitest asks for a class.
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
