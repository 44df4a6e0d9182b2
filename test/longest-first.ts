import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They start platforms of their own, most of them several. */
const heavy = ['/test/chaos/', '/test/cli/', '/test/e2e/'];

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
