import { addCount } from '../../../base/collections/counts.js'

/** Counts each run of `n` tokens. The key joins the tokens with U+0000, which no token contains. */
export function countRuns(tokens: readonly string[], n: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (let i = 0; i + n <= tokens.length; i++) {
    const key = n === 1 ? (tokens[i] ?? '') : tokens.slice(i, i + n).join('\u0000')
    addCount(counts, key)
  }
  return counts
}

/** The sum of the smaller counts over all keys. */
export function commonCount(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0
  for (const [key, count] of a) common += Math.min(count, b.get(key) ?? 0)
  return common
}
