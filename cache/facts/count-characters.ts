import type { Sample } from '../store.js'

/** Counts the characters of a sample's answers. @returns null if they are no texts */
export function countCharacters({ items }: Pick<Sample, 'items'>): number | null {
  const bodies = items.flatMap(({ response }) => (response === undefined ? [] : [response.body]))
  const lengths = bodies.filter(({ logprob }) => logprob === undefined).map(({ text }) => Array.from(text).length)
  return lengths.length === 0 ? null : lengths.reduce((sum, length) => sum + length, 0)
}
