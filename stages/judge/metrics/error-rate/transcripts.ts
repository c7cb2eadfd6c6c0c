import { stripWhiteSpace, whiteSpaceClass } from '../../../../base/white-space.js'
import { align, type AlignedChunk } from './alignment.js'
import { addCounts, countsOf, noErrors, type ErrorCounts } from './error-counts.js'

/** The words of a transcript: between spaces alone, so that a single tab or line feed within stays in a word. */
export const wordsOf = (text: string): readonly string[] =>
  tidy(text)
    .split(' ')
    .filter(word => word !== '')

/** Its characters (code points), spaces between words among them. */
export const charactersOf = (text: string): readonly string[] => Array.from(stripWhiteSpace(text))

const tidy = (text: string): string => stripWhiteSpace(text.replace(runs, ' '))

const runs = new RegExp(`[${whiteSpaceClass}]{2,}`, 'g')

export interface Comparison {
  readonly counts: ErrorCounts
  /** Of each pair of transcripts. */
  readonly alignments: readonly (readonly AlignedChunk[])[]
}

/**
 * Compares transcripts with their references, one to one, as lists of `wordsOf` or `charactersOf`.
 *
 * Source: jiwer 4.0.0, `process_words` and `process_characters` with their default transforms.
 *
 * @throws Error where there are not as many answers as references.
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
  return { counts: alignments.map(countsOf).reduce(addCounts, noErrors), alignments }
}

/** No transcript at all is one without words. */
const orOneEmpty = (texts: readonly string[]): readonly string[] => (texts.length === 0 ? [''] : texts)
