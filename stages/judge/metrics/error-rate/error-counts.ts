import { align, type AlignedChunk } from './alignment.js'

/** How many items (words, characters) of a reference were found, and what else it took. Counts add up over docs. */
export interface ErrorCounts {
  readonly hits: number
  readonly substitutions: number
  readonly deletions: number
  readonly insertions: number
}

export const noErrors: ErrorCounts = { hits: 0, substitutions: 0, deletions: 0, insertions: 0 }

export const countErrors = (reference: readonly string[], hypothesis: readonly string[]): ErrorCounts =>
  countsOf(align(reference, hypothesis))

/** The counts of an alignment. */
export function countsOf(chunks: readonly AlignedChunk[]): ErrorCounts {
  const total = { equal: 0, substitute: 0, delete: 0, insert: 0 }
  for (const [type, start, end, heardStart, heardEnd] of chunks) {
    total[type] += type === 'insert' ? heardEnd - heardStart : end - start
  }
  return { hits: total.equal, substitutions: total.substitute, deletions: total.delete, insertions: total.insert }
}

export const addCounts = (a: ErrorCounts, b: ErrorCounts): ErrorCounts => ({
  hits: a.hits + b.hits,
  substitutions: a.substitutions + b.substitutions,
  deletions: a.deletions + b.deletions,
  insertions: a.insertions + b.insertions,
})

export const editsOf = ({ substitutions, deletions, insertions }: ErrorCounts): number =>
  substitutions + deletions + insertions

/** Items of the reference. */
export const referenceLength = ({ hits, substitutions, deletions }: ErrorCounts): number =>
  hits + substitutions + deletions

/** Items of the answer. */
export const hypothesisLength = ({ hits, substitutions, insertions }: ErrorCounts): number =>
  hits + substitutions + insertions
