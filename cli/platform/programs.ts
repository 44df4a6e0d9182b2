import { access, constants } from 'node:fs/promises';

/** Whether a file is there to be run. */
export async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
