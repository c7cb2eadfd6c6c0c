import { distance } from 'fastest-levenshtein'

/** The one of `known` that a person most likely meant by `given`, if any is near enough. */
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

/** ` Did you mean "…"?` with a leading space, or nothing. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const name = nearest(given, known)
  return name === undefined ? '' : ` Did you mean "${name}"?`
}
