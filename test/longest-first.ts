import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They start platforms of their own, most of them several. */
const long = ['/test/chaos/', '/test/cli/', '/test/e2e/'];

/**
 * Begins with the files that take long, also where no run has told yet how long each takes: one of
 * them at the end would keep the other processes idle. Vitest asks for a class.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number =>
      long.some((folder) => moduleId.includes(folder)) ? 0 : 1;
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}
