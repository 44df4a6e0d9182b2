const shortMs = 60;
/** In Hz. The second, lower tone signals the way back to the start of the movement. */
const tones = { begin: 880, back: 523 } as const;

export interface Cues {
  readonly give: (cue: keyof typeof tones) => void;
  readonly close: () => void;
}

/**
 * Plays tones and vibrations for a person who does not see the screen, for example with shut eyes.
 * Call it from a click handler: browsers play no sound before a click.
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

/** Null if the browser has no audio or denies it to this page. */
function makeAudio(): AudioContext | null {
  try {
    return new AudioContext();
  } catch {
    return null;
  }
}
