/** Phrases for which the field has a term, and riddles that a reader has to read twice. */
export const dialect: readonly RegExp[] = [
  /\bwhoever\b/i,
  /\bnobody\b/i,
  /\bsomebody\b/i,
  /\bnone but\b/i,
  /\b(?:is|are|was|were|be|been) told\b/i,
  /\b(?:is|are|was|were) away\b/i,
  /\blet in\b/i,
  /\bhanded in\b/i,
  /\bheld against\b/i,
  /\bso many\b/i,
  /\bworth nothing\b/i,
  /\bcounts at once\b/i,
  /\bof before\b/i,
  /\bas of old\b/i,
  /\btakes? back\b/i,
];
