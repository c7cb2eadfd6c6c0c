import { distance } from 'fastest-levenshtein'

/**
 * Returns the name in `known` that is most similar to `given`, or undefined if none is similar enough. A name that begins with `given` as a
 * whole word, such as `run_id` for `run`, is taken if no other is.
 */
export function nearest(given: string, known: Iterable<string>): string | undefined {
  const names = [...known]
  let best: string | undefined
  let least = Math.max(2, Math.floor(given.length / 2)) + 1
  for (const name of names) {
    const edits = distance(given.toLowerCase(), name.toLowerCase())
    if (edits < least) {
      least = edits
      best = name
    }
  }
  const word = `${given.toLowerCase()}_`
  return best ?? names.find(name => name.toLowerCase().replaceAll('-', '_').startsWith(word))
}

/** Returns ` Did you mean "…"?` with a leading space, or an empty text. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const name = nearest(given, known)
  return name === undefined ? '' : ` Did you mean "${name}"?`
}
