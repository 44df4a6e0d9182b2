import { z } from 'zod';

/** How the id of a person is written. */
export const polyUserIdForm = /^[A-Za-z0-9_-]{1,64}$/;

/** A person by their id. */
export const polyUserId = z.string().regex(polyUserIdForm, 'must be the id of a person');
