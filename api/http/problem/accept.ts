import Negotiator from 'negotiator';

/** How many characters of an Accept header are read. */
const acceptLengthMax = 1_000;

/**
 * Returns the offered type that an Accept header prefers, by quality (RFC 9110 §12.5.1). Among
 * equals, the more specific entry of the header wins, then the earlier one, then the earlier offer.
 * Null where the header accepts none.
 */
export function preferredType<Type extends string>(
  accept: string | undefined,
  offered: readonly Type[],
): Type | null {
  const negotiator = new Negotiator({ headers: { accept: accept?.slice(0, acceptLengthMax) } });
  const preferred = negotiator.mediaType([...offered]);
  return offered.find((type) => type === preferred) ?? null;
}
