import { androidForgeries } from './android.ts';
import { appleForgeries } from './apple.ts';
import type { Family } from './genuine.ts';
import { passportForgeries } from './passport.ts';

/** Every genuine vector there is, by what it is a vector of. */
export const families = (): Family[] => [
  ...passportForgeries(),
  ...appleForgeries(),
  androidForgeries(),
];
