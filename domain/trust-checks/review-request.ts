/** How long the note of a person who asks for a review can be, in characters. */
export const reviewNoteLengthMax = 1000;
