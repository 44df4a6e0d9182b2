import { useEffect, useState } from 'preact/hooks';
import { pairingCodeOf } from '../session/state.ts';

/**
 * The same number is on both screens, so that a person sees that they are of one check.
 * @param id of the check; null for none
 * @returns an empty text until it is computed
 */
export function usePairingCode(id: string | null): string {
  const [code, setCode] = useState('');
  useEffect(() => {
    setCode('');
    if (id !== null) void pairingCodeOf(id).then(setCode);
  }, [id]);
  return code;
}
