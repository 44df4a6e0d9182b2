const shortMs = 60;
/** In Hz. The second is lower: back to where the movement began. */
const tones = { begin: 880, back: 523 } as const;

export interface Cues {
  readonly give: (cue: keyof typeof tones) => void;
  readonly close: () => void;
}

/**
 * Tones and vibrations for a person who does not see the screen, for example with shut eyes. Call it
 * from a click handler: browsers play no sound before a click.
 */
export function openCues(): Cues {
  const audio = makeAudio();
  return {
    give(cue) {
      if ('vibrate' in navigator) navigator.vibrate(shortMs);
      if (!audio) return;
      const [tone, volume] = [audio.createOscillator(), audio.createGain()];
      tone.frequency.value = tones[cue];
      // A tone that stops at once clicks.
      volume.gain.setTargetAtTime(0, audio.currentTime + 0.1, 0.03);
      tone.connect(volume).connect(audio.destination);
      tone.start();
      tone.stop(audio.currentTime + 0.3);
    },
    close: () => void audio?.close(),
  };
}

/** Null where the browser has no sound, or gives none to this page. */
function makeAudio(): AudioContext | null {
  try {
    return new AudioContext();
  } catch {
    return null;
  }
}
