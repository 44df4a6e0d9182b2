import { decodeJwt } from 'jose';

/** Returns the session id in a token. */
export const sidOf = (token: string): string => String(decodeJwt(token)['sid']);
