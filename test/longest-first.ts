import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * They start platforms of their own, most of them several; or are of a few lines and take a quarter
 * of a minute and more, which their size does not tell.
 */
const heavy = [
  '/test/chaos/',
  '/test/cli/',
  '/test/e2e/',
  '/test/activities/affidavit/given-up',
  '/test/activities/affidavit/upgrade',
  '/test/activities/document/',
  '/test/activities/face/read',
  '/test/api/away',
  '/test/api/events/ended-sockets',
  '/test/api/meetings/away',
  '/test/api/slow-bodies',
  '/test/api/trust-checks/document',
  '/test/api/trust-checks/face-',
  '/test/api/trust-checks/review',
  '/test/authz/matrix',
  '/test/db/migrate',
  '/test/laws/canary-families',
  '/test/simulator/causes',
  '/test/web/verify/page',
  '/test/workflows/actions',
  '/test/workflows/deadlines',
  '/test/workflows/device-recall',
  '/test/workflows/replay',
  '/test/workflows/turns',
];

/**
 * Begins with the files that take long, also where no run has told yet how long each takes: one of
 * them at the end would keep the other processes idle. Between them stand others, which wait more
 * than they work: starts alone would crowd the machine, and leave it idle later. Vitest asks for a
 * class.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isHeavy = ({ moduleId }: TestSpecification): boolean =>
      heavy.some((folder) => moduleId.includes(folder));
    const rest = sorted.filter((file) => !isHeavy(file));
    const mixed = sorted.filter(isHeavy).flatMap((file) => [file, ...rest.splice(0, 1)]);
    return [...mixed, ...rest];
  }
}
