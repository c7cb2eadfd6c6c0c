import { distance } from 'fastest-levenshtein'

/** Returns the name in `known` that is most similar to `given`, or undefined if none is similar enough. */
export function nearest(given: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.max(2, Math.floor(given.length / 2)) + 1
  for (const name of known) {
    const edits = distance(given.toLowerCase(), name.toLowerCase())
    if (edits < least) {
      least = edits
      best = name
    }
  }
  return best
}

/** Returns ` Did you mean "…"?` with a leading space, or an empty text. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const name = nearest(given, known)
  return name === undefined ? '' : ` Did you mean "${name}"?`
}
