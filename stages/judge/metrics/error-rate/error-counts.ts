import { stripWhiteSpace, whiteSpaceClass } from '../../../../base/python/white-space.js'
import { align, type AlignedChunk } from './alignment.js'

/** Counts of hits and edits between a reference and an answer, in words or characters. Counts of docs are added up. */
export interface ErrorCounts {
  readonly hits: number
  readonly substitutions: number
  readonly deletions: number
  readonly insertions: number
}

export const noErrors: ErrorCounts = { hits: 0, substitutions: 0, deletions: 0, insertions: 0 }

export const countErrors = (reference: readonly string[], hypothesis: readonly string[]): ErrorCounts =>
  countChunkErrors(align(reference, hypothesis))

/** The counts of an alignment. */
export function countChunkErrors(chunks: readonly AlignedChunk[]): ErrorCounts {
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

export const countEdits = ({ substitutions, deletions, insertions }: ErrorCounts): number =>
  substitutions + deletions + insertions

/** The number of items in the reference. */
export const referenceLength = ({ hits, substitutions, deletions }: ErrorCounts): number =>
  hits + substitutions + deletions

/** The number of items in the answer. */
const hypothesisLength = ({ hits, substitutions, insertions }: ErrorCounts): number => hits + substitutions + insertions

/**
 * Error measures from counts. `wer`: edits per item of the reference, in [0, ∞), or the number of insertions if the
 * reference is empty. `mer`, the match error rate: the share of edits among all aligned items, in [0, 1]. `wip`,
 * the word information preserved: the share of hits in the reference times that in the answer, in [0, 1]. `wil`,
 * the word information lost: 1 − wip.
 *
 * Sources: Morris, Maier and Green, "From WER and RIL to MER and WIL: improved evaluation measures for connected
 * speech recognition", Interspeech 2004; edge cases as jiwer 4.0.0.
 */
export const measures = {
  wer(counts) {
    const length = referenceLength(counts)
    return length === 0 ? counts.insertions : countEdits(counts) / length
  },
  mer(counts) {
    const aligned = counts.hits + countEdits(counts)
    return aligned === 0 ? 0 : countEdits(counts) / aligned
  },
  wip,
  wil: counts => 1 - wip(counts),
} as const satisfies Readonly<Record<string, (counts: ErrorCounts) => number>>

function wip(counts: ErrorCounts): number {
  const [said, heard] = [referenceLength(counts), hypothesisLength(counts)]
  if (said === 0) return heard === 0 ? 1 : 0
  return heard === 0 ? 0 : (counts.hits / said) * (counts.hits / heard)
}

/** The words of a transcript. Only spaces separate words, so a single tab or line feed stays in a word. */
export const splitWords = (text: string): readonly string[] =>
  tidy(text)
    .split(' ')
    .filter(word => word !== '')

/** The characters (code points) of a transcript, with the spaces between words. */
export const splitCharacters = (text: string): readonly string[] => Array.from(stripWhiteSpace(text))

const tidy = (text: string): string => stripWhiteSpace(text.replace(runs, ' '))

const runs = new RegExp(`[${whiteSpaceClass}]{2,}`, 'g')

interface Comparison {
  readonly counts: ErrorCounts
  /** The alignment of each pair of transcripts. */
  readonly alignments: readonly (readonly AlignedChunk[])[]
}

/**
 * Compares transcripts with their references, one to one, as lists of `splitWords` or `splitCharacters`.
 *
 * Source: jiwer 4.0.0, `process_words` and `process_characters` with their default transforms.
 *
 * @throws Error if the numbers of answers and references differ.
 */
export function compareTranscripts(
  references: readonly string[],
  hypotheses: readonly string[],
  itemsOf: (text: string) => readonly string[],
): Comparison {
  const said = orOneEmpty(references)
  const heard = orOneEmpty(hypotheses)
  if (said.length !== heard.length) {
    throw new Error(`there are ${references.length} references and ${hypotheses.length} transcripts`)
  }
  const alignments = said.map((reference, i) => align(itemsOf(reference), itemsOf(heard[i] ?? '')))
  return { counts: alignments.map(countChunkErrors).reduce(addCounts, noErrors), alignments }
}

/** An empty list counts as one transcript without words. */
const orOneEmpty = (texts: readonly string[]): readonly string[] => (texts.length === 0 ? [''] : texts)
