import { pythonRegex } from '../../../../base/python/python-regex.js'
import { stripTrailingWhiteSpace } from '../../../../base/python/white-space.js'
import { englishPunkt } from './punkt.js'
import { possibleEnd } from './punkt.js'
import { hasSentenceEnd } from './punkt.js'

/**
 * The sentences of an English text, like NLTK's `sent_tokenize`.
 *
 * Source: Kiss and Strunk, Unsupervised Multilingual Sentence Boundary Detection (2006); NLTK 3.9.1,
 * `tokenize/punkt.py`. NLTK 3.10 differs: it also treats curly quotes and guillemets as closing punctuation.
 */
export function sentences(text: string): readonly string[] {
  const parts = realignSlices(text, sentenceSlices(text))
  return parts.map(({ start, end }) => text.slice(start, end))
}

interface Slice {
  readonly start: number
  readonly end: number
}

interface Candidate {
  /** The position after the mark. */
  readonly end: number
  /** The start of the next word, if white space precedes it. */
  readonly next: number | undefined
  /** The word before the mark, the mark, and the text after it. */
  readonly context: string
}

function sentenceSlices(text: string): readonly Slice[] {
  const model = englishPunkt()
  const slices: Slice[] = []
  let start = 0
  for (const { end, next, context } of candidates(text)) {
    if (!hasSentenceEnd(context, model)) continue
    slices.push({ start, end })
    start = next ?? end
  }
  return [...slices, { start, end: stripTrailingWhiteSpace(text).length }]
}

/** Positions where a sentence may end. If a word ends in several marks, only the last one counts. */
function candidates(text: string): readonly Candidate[] {
  const sentenceEnds: Candidate[] = []
  let word: Slice = { start: 0, end: 0 }
  let last: Candidate | undefined
  for (const match of text.matchAll(possibleEnd)) {
    const { after = '', next } = match.groups ?? {}
    const space = lastSpace(text.slice(word.end, match.index))
    const start = space === 0 ? word.start : word.end + space + 1
    if (last !== undefined && word.end <= start) sentenceEnds.push(last)
    word = { start, end: match.index }
    const end = match.index + 1
    last = {
      end,
      next: next === undefined ? undefined : end + after.length - next.length,
      context: `${text.slice(start, end)}${after}`,
    }
  }
  return last === undefined ? sentenceEnds : [...sentenceEnds, last]
}

/** The position of the last ASCII white space; 0 if there is none. */
const lastSpace = (text: string): number => Math.max(0, text.search(/[ \t-\r][^ \t-\r]*$/))

const closing = pythonRegex('(?m)["\')\\]}]+?(?:\\s+|(?=--)|$)', 'y')

/** Moves closing quotes and brackets to the sentence before them. */
function realignSlices(text: string, slices: readonly Slice[]): readonly Slice[] {
  const realignedSlices: Slice[] = []
  let moved = 0
  for (const [index, slice] of slices.entries()) {
    const start = slice.start + moved
    const next = slices[index + 1]
    closing.lastIndex = 0
    const closingMarks = next === undefined ? undefined : closing.exec(text.slice(next.start, next.end))?.[0]
    moved = closingMarks?.length ?? 0
    if (next !== undefined && closingMarks !== undefined)
      realignedSlices.push({ start, end: next.start + stripTrailingWhiteSpace(closingMarks).length })
    else if (slice.end > start) realignedSlices.push({ start, end: slice.end })
  }
  return realignedSlices
}
