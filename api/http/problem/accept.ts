import Negotiator from 'negotiator';

/** What is read of an Accept header; more is nobody's wish. */
const acceptLengthMax = 1_000;

/**
 * Which of the types somebody likes best, by the qualities of their Accept header (RFC 9110
 * §12.5.1); of those they like alike the one they name more exactly, then first, then the first of
 * ours. Null where they take none.
 */
export function preferredType<Type extends string>(
  accept: string | undefined,
  offered: readonly Type[],
): Type | null {
  const negotiator = new Negotiator({ headers: { accept: accept?.slice(0, acceptLengthMax) } });
  const preferred = negotiator.mediaType([...offered]);
  return offered.find((type) => type === preferred) ?? null;
}
