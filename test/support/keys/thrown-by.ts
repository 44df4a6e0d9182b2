import { expect } from 'vitest';

/** Returns the error that `work` throws. Expects no secret in it or in its causes. */
export async function thrownBy(
  work: Promise<unknown>,
  secrets: readonly (string | undefined)[],
): Promise<unknown> {
  const error: unknown = await work.then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );
  for (let each = error; each instanceof Error; each = each.cause) {
    const told = `${each.stack} ${JSON.stringify(each)}`;
    for (const secret of secrets) if (secret) expect(told).not.toContain(secret);
  }
  return error;
}
