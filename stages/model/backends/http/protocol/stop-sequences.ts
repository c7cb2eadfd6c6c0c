import type { GenerationKwargs } from '../../../../../cache/records.js'

/** The texts that end an answer; an empty one ends none. */
export const stopsOf = ({ until }: GenerationKwargs): readonly string[] => (until ?? []).filter(text => text !== '')

/** The answer before the first stop sequence: servers take only some of them, and some leave the sequence in. */
export function cutAtStop(text: string, generation: GenerationKwargs): string {
  const ends = stopsOf(generation).flatMap(stop => (text.includes(stop) ? [text.indexOf(stop)] : []))
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends))
}
