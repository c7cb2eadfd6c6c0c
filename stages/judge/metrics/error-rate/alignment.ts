import { differingPart, editColumns } from './edit-distance.js'

/** A range of both lists: its type, start and end in the reference, then start and end in the hypothesis. */
export type AlignedChunk = readonly [
  type: 'equal' | 'substitute' | 'insert' | 'delete',
  referenceStart: number,
  referenceEnd: number,
  hypothesisStart: number,
  hypothesisEnd: number,
]

/** One edit and its position in both lists. */
type Edit = readonly [type: 'substitute' | 'insert' | 'delete', reference: number, hypothesis: number]

/**
 * The alignment of `hypothesis` with `reference` that has the fewest edits. If there are several, it is the one
 * that rapidfuzz returns, since the numbers of substitutions, deletions and insertions depend on it. The common
 * start and end are removed. From the end back, a deletion precedes an insertion, which precedes a substitution.
 *
 * Source: rapidfuzz 3.14.6, `Levenshtein.opcodes`, as jiwer 4.0.0 uses it. For texts of several thousand items
 * rapidfuzz splits the table first, and can return another alignment with the same number of edits.
 */
export function align(reference: readonly string[], hypothesis: readonly string[]): readonly AlignedChunk[] {
  const { start, endFrom, endTo } = differingPart(reference, hypothesis)
  const edits = editsBetween(reference.slice(start, endFrom), hypothesis.slice(start, endTo))
  const chunks: AlignedChunk[] = []
  let at = 0
  let heard = 0
  const keepUntil = (position: number): void => {
    if (position > at) chunks.push(['equal', at, position, heard, heard + position - at])
    heard += position - at
    at = position
  }
  for (const [type, position] of edits) {
    keepUntil(start + position)
    const [deleted, inserted] = [type === 'insert' ? 0 : 1, type === 'delete' ? 0 : 1]
    const before = chunks.at(-1)
    if (before?.[0] === type) chunks[chunks.length - 1] = [type, before[1], at + deleted, before[3], heard + inserted]
    else chunks.push([type, at, at + deleted, heard, heard + inserted])
    at += deleted
    heard += inserted
  }
  keepUntil(reference.length)
  return chunks
}

function editsBetween(reference: readonly string[], hypothesis: readonly string[]): readonly Edit[] {
  const { isIncrease, isDecrease } = computeDistances(reference, hypothesis)
  const edits: Edit[] = []
  let i = reference.length
  let j = hypothesis.length
  while (i > 0 && j > 0) {
    if (isIncrease(i, j)) {
      i -= 1
      edits.push(['delete', i, j])
      continue
    }
    j -= 1
    if (j > 0 && isDecrease(i, j)) edits.push(['insert', i, j])
    else {
      i -= 1
      if (reference[i] !== hypothesis[j]) edits.push(['substitute', i, j])
    }
  }
  while (i > 0) edits.push(['delete', --i, j])
  while (j > 0) edits.push(['insert', i, --j])
  return edits.reverse()
}

interface DistanceTable {
  /** Returns whether the distance of the first i and j items is one more than that of the first i − 1 and j items. */
  readonly isIncrease: (i: number, j: number) => boolean
  readonly isDecrease: (i: number, j: number) => boolean
}

/** Stores two bits for each cell. */
function computeDistances(reference: readonly string[], hypothesis: readonly string[]): DistanceTable {
  const blocks = Math.ceil(reference.length / 32)
  const increases = new Int32Array(blocks * hypothesis.length)
  const decreases = new Int32Array(blocks * hypothesis.length)
  editColumns(reference, hypothesis, (index, up, down) => {
    increases.set(up, index * blocks)
    decreases.set(down, index * blocks)
  })
  const bit = (cells: Int32Array, i: number, j: number): boolean =>
    (((cells[(j - 1) * blocks + ((i - 1) >> 5)] ?? 0) >>> ((i - 1) & 31)) & 1) === 1
  return { isIncrease: (i, j) => bit(increases, i, j), isDecrease: (i, j) => bit(decreases, i, j) }
}
