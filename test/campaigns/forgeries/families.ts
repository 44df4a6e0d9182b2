import { androidForgeries } from './android.ts';
import { appleForgeries } from './apple.ts';
import type { Family } from './genuine.ts';
import { passportForgeries } from './passport.ts';

/** All genuine vectors by kind. */
export const families = (): Family[] => [
  ...passportForgeries(),
  ...appleForgeries(),
  androidForgeries(),
];
