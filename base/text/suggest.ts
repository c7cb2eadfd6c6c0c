import { distance } from 'fastest-levenshtein'

/**
 * Returns the name in `candidates` that is most similar to `wanted`, or undefined if none is similar enough. If none is similar, a name that begins
 * with the word `wanted` is returned, such as `run_id` for `run`.
 */
export function nearest(wanted: string, candidates: Iterable<string>): string | undefined {
  const names = [...candidates]
  let best: string | undefined
  let least = Math.max(2, Math.floor(wanted.length / 2)) + 1
  for (const name of names) {
    const edits = distance(wanted.toLowerCase(), name.toLowerCase())
    if (edits < least) {
      least = edits
      best = name
    }
  }
  const word = `${wanted.toLowerCase()}_`
  return best ?? names.find(name => name.toLowerCase().replaceAll('-', '_').startsWith(word))
}

/** Returns ` Did you mean "…"?` with a leading space, or an empty text. */
export function didYouMean(wanted: string, candidates: Iterable<string>): string {
  const name = nearest(wanted, candidates)
  return name === undefined ? '' : ` Did you mean "${name}"?`
}
