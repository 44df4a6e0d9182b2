/** Maximum length of a person's note with a review request, in characters. */
export const reviewNoteLengthMax = 1000;
