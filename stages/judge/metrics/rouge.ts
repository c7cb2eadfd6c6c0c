import { z } from 'zod'
import { defineMetric, scored, unparsed, type MetricInput } from '../define/define-metric.js'
import { linesInCommon, subsequenceLength, findSubsequence, type Line } from '../text/common-subsequence.js'
import { commonCount, countRuns } from '../text/ngram-counts.js'
import { porterStem } from '../text/porter-stemmer.js'
import { characters, unicodeWords } from '../text/unicode-words.js'

/** N-grams of 1 to 9 words, the longest common subsequence, and the union of those of a summary's lines. */
export const rougeVariants = [
  'rouge1',
  'rouge2',
  'rouge3',
  'rouge4',
  'rouge5',
  'rouge6',
  'rouge7',
  'rouge8',
  'rouge9',
  'rougeL',
  'rougeLsum',
] as const

type RougeVariant = (typeof rougeVariants)[number]

interface RougeOptions {
  readonly variant: RougeVariant
  /** True if words longer than three characters are compared by their stems. */
  readonly useStemmer: boolean
  /** The tokenizer that splits texts into words. */
  readonly tokenizer?: RougeTokenizer
}

/** `ascii`: the reference's words. `unicode`: words of all scripts. `characters`: single letters and digits. */
const rougeTokenizers = ['ascii', 'unicode', 'characters'] as const

type RougeTokenizer = (typeof rougeTokenizers)[number]

/**
 * ROUGE of an answer against one reference.
 *
 * Source: Lin (2004), as rouge-score 0.1.2, `RougeScorer.score`.
 */
export function googleRouge(answer: string, reference: string, options: RougeOptions): RougeScore {
  const { variant } = options
  if (variant === 'rougeLsum') return summaryScore(splitLines(answer, options), splitLines(reference, options))
  const [own, other] = [splitWords(answer, options), splitWords(reference, options)]
  if (variant === 'rougeL') return rougeScore(subsequenceLength(other, own), own.length, other.length)
  const n = Number(variant.slice('rouge'.length))
  const common = commonCount(countRuns(other, n), countRuns(own, n))
  return rougeScore(common, own.length - n + 1, other.length - n + 1)
}

/**
 * The score against the reference with the best F-measure, the first one if several are equal.
 * @throws Error if there is no reference.
 */
export function bestGoogleRouge(answer: string, references: readonly string[], options: RougeOptions): RougeScore {
  const [first, ...more] = references.map(reference => googleRouge(answer, reference, options))
  if (first === undefined) throw new Error('ROUGE compares with references, and this doc has none')
  return more.reduce((best, score) => (score.fmeasure > best.fmeasure ? score : best), first)
}

const splitLines = (text: string, options: RougeOptions): readonly Line[] =>
  text.split('\n').map(line => splitWords(line, options))

function splitWords(text: string, { tokenizer = 'ascii', useStemmer }: RougeOptions): readonly string[] {
  if (tokenizer === 'ascii') return rougeTokens(text, useStemmer)
  const words = tokenizer === 'unicode' ? unicodeWords(text) : characters(text)
  return useStemmer ? words.map(stemWord) : words
}

/** Porter's stemmer knows only the letters from a to z. */
const stemWord = (word: string): string => (word.length > 3 && /^[a-z0-9]+$/.test(word) ? porterStem(word) : word)

/** Returns whether each text has letters or digits, and none of them is in a word of the tokenizer. */
const areUnread = (texts: readonly string[], options: RougeOptions): boolean =>
  texts.length > 0 && texts.every(text => splitWords(text, options).length === 0 && /[\p{L}\p{N}]/u.test(text))

/**
 * Scores summaries by lines. A word of a reference's line counts if it is in a longest common subsequence with any
 * line of the answer.
 */
function summaryScore(ownLines: readonly Line[], otherLines: readonly Line[]): RougeScore {
  const [ownWords, otherWords] = [ownLines.flat(), otherLines.flat()]
  if (ownWords.length === 0 || otherWords.length === 0) return noRouge
  // A word counts at most as often as it occurs on either side.
  const remainingCounts = new Map(countRuns(ownWords, 1))
  const ownInCommon = linesInCommon(ownLines)
  let hits = 0
  for (const other of otherLines) {
    const positions = new Set(ownInCommon(other).flatMap(line => findSubsequence(other, line, 'a')))
    for (const at of positions) {
      const word = other[at] ?? ''
      const rest = remainingCounts.get(word) ?? 0
      if (rest === 0) continue
      hits++
      remainingCounts.set(word, rest - 1)
    }
  }
  return rougeScore(hits, ownWords.length, otherWords.length)
}

/**
 * ROUGE in [0, 1] of n-grams (`rouge1` … `rouge9`), of the longest common subsequence of words (`rougeL`), or of
 * that by lines (`rougeLsum`). The best of several references counts. `of` selects precision, recall or their
 * harmonic mean. Higher is better.
 *
 * Words are runs of ASCII letters and digits without regard to case. Targets in other scripts have no such words;
 * their docs are unparsed and count 0. `tokenizer` selects other words than the reference's: `unicode` for words of all
 * scripts, with each Chinese, Japanese or Thai character as a word, or `characters`.
 *
 * Source: Lin (2004), as rouge-score 0.1.2 computes it, `RougeScorer.score_multi`.
 */
export const rouge = defineMetric({
  id: 'rouge',
  args: z.strictObject({
    variant: z.enum(rougeVariants).default('rougeL'),
    use_stemmer: z.boolean().default(false),
    of: z.enum(['fmeasure', 'precision', 'recall']).default('fmeasure'),
    tokenizer: z.enum(rougeTokenizers).default('ascii'),
  }),
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, references }, { variant, use_stemmer: useStemmer, of, tokenizer }) {
    const options = { variant, useStemmer, tokenizer }
    if (areUnread(references, options)) return unparsed(noWords)
    return scored(bestGoogleRouge(text, references, options)[of])
  },
})

const noWords =
  'ROUGE finds no word in the target: its words are ASCII letters and digits. Set `tokenizer: unicode` for other scripts'

/** ROUGE under the name of a variant, as the package `evaluate` names its numbers. Source: as {@link rouge}. */
export function rougeByVariant(variant: 'rouge1' | 'rouge2' | 'rougeL' | 'rougeLsum') {
  const args = rouge.args.omit({ variant: true })
  return {
    ...rouge,
    id: variant,
    args,
    judge: (input: MetricInput, ownArgs: unknown) => rouge.judge(input, { ...args.parse(ownArgs), variant }),
  }
}

/**
 * Precision is the share of the answer that is in the reference; recall is the share of the reference that is in
 * the answer. All are in [0, 1].
 */
interface RougeScore {
  readonly precision: number
  readonly recall: number
  readonly fmeasure: number
}

const noRouge: RougeScore = { precision: 0, recall: 0, fmeasure: 0 }

/** Computes precision, recall and their harmonic mean. */
function rougeScore(common: number, answer: number, reference: number): RougeScore {
  const precision = common / Math.max(answer, 1)
  const recall = common / Math.max(reference, 1)
  return { precision, recall, fmeasure: common > 0 ? (2 * precision * recall) / (precision + recall) : 0 }
}

/**
 * Runs of ASCII letters and digits in lower case. Any other letter is a separator, so `naïve` is `na` and `ve`.
 * With `useStemmer`, words longer than three characters are replaced by their stems.
 *
 * Source: rouge-score 0.1.2, `tokenize.py`.
 */
export function rougeTokens(text: string, useStemmer: boolean): readonly string[] {
  const tokens = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return useStemmer ? tokens.map(token => (token.length > 3 ? porterStem(token) : token)) : tokens
}
