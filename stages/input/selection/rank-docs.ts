import { createHash } from 'node:crypto'

/** Sorts indices of docs by their digests with the seed. The order of two docs depends on no other doc. */
export function rankDocs(indices: readonly number[], seed: number): number[] {
  const ranked = indices.map(index => ({
    index,
    rank: createHash('sha256').update(`${seed}:${index}`).digest().readUIntBE(0, 6),
  }))
  ranked.sort((a, b) => a.rank - b.rank || a.index - b.index)
  return ranked.map(({ index }) => index)
}
