import { differingPart, editColumns } from './edit-distance.js'

/** A stretch of both lists: what happened, from and to which place of the reference, then of the hypothesis. */
export type AlignedChunk = readonly [
  type: 'equal' | 'substitute' | 'insert' | 'delete',
  referenceStart: number,
  referenceEnd: number,
  hypothesisStart: number,
  hypothesisEnd: number,
]

/** One edit, at its place in both lists. */
type Edit = readonly [type: 'substitute' | 'insert' | 'delete', reference: number, hypothesis: number]

/**
 * How `hypothesis` came of `reference` with the fewest edits. Of several such ways it is the one that rapidfuzz takes, for the numbers
 * of substitutions, deletions and insertions depend on it: what both begin and end with is set aside; from the end back, a
 * deletion comes before an insertion, and that before a substitution.
 *
 * Source: rapidfuzz 3.14.6, `Levenshtein.opcodes`, as jiwer 4.0.0 uses it. For texts of several thousand items rapidfuzz divides the
 * table first and may then find another of the shortest ways; their number of edits is the same.
 */
export function align(reference: readonly string[], hypothesis: readonly string[]): readonly AlignedChunk[] {
  const { start, endFrom, endTo } = differingPart(reference, hypothesis)
  const edits = editsBetween(reference.slice(start, endFrom), hypothesis.slice(start, endTo))
  const chunks: AlignedChunk[] = []
  let at = 0
  let heard = 0
  const keepUntil = (place: number): void => {
    if (place > at) chunks.push(['equal', at, place, heard, heard + place - at])
    heard += place - at
    at = place
  }
  for (const [type, place] of edits) {
    keepUntil(start + place)
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
  const { isIncrease, isDecrease } = tableOf(reference, hypothesis)
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
  /** Whether the distance of the first i and j items is one more than that of the first i − 1 and j. */
  readonly isIncrease: (i: number, j: number) => boolean
  readonly isDecrease: (i: number, j: number) => boolean
}

/** Two bits a cell. */
function tableOf(reference: readonly string[], hypothesis: readonly string[]): DistanceTable {
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
