import { decodeJwt } from 'jose';

/** The session that a token is of. */
export const sidOf = (token: string): string => String(decodeJwt(token)['sid']);
