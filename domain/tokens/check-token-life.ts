/** As long as the longest session lives: 72 hours unopened, then 24 hours. */
export const checkTokenLifeMs = (72 + 24) * 3600_000;
