import { pythonRegex } from '../../../base/python/python-regex.js'
import { splitWhiteSpace, stripWhiteSpace } from '../../../base/python/white-space.js'
import { editDistance } from '../metrics/error-rate/edit-distance.js'
import { countErrors, type ErrorCounts } from '../metrics/error-rate/error-counts.js'
import { normalizerArgument } from '../metrics/error-rate/wer.js'
import type { Normalizers } from '../compile/scoring-spec.js'
import { normalise, type Normalizer } from '../text/normalizers.js'
import { cleanTranscript, withoutPunctuationWords } from '../text/transcript.js'

/** How a transcript of a language is compared; all but these three as `other`. */
type TranscriptLanguage = 'english' | 'mandarin' | 'cantonese' | 'other'

/** The language by its code (`en`, `zh-CN`, `cmn_hans`, `yue_hant`) or its name in FLEURS (`Mandarin Chinese`). */
export function transcriptLanguage(code: string): TranscriptLanguage {
  if (/^(?:en|english)$/i.test(code)) return 'english'
  if (/^(?:zh|zh-CN|cmn_hans|mandarin chinese)$/i.test(code)) return 'mandarin'
  if (/^(?:yue|yue_hant|cantonese chinese)$/i.test(code)) return 'cantonese'
  return 'other'
}

const usualNormalizers: Readonly<Record<TranscriptLanguage, readonly Normalizer[]>> = {
  english: ['whisper_english', 'whisper_basic'],
  mandarin: ['chinese'],
  cantonese: ['simplified_chinese', 'whisper_basic'],
  other: ['whisper_basic'],
}

/**
 * What speech benchmarks compare of a transcript: its words, or for Chinese its characters, after the language's normalisers
 * (`using` in their place where a benchmark has its own), in small letters, without punctuation.
 *
 * Source: lmms-eval 0.7.2, `tasks/asr_wer_utils.py`, for LibriSpeech, FLEURS, Common Voice and others; GigaSpeech uses the English
 * normaliser alone. Cantonese is simplified there by zhconv, whose table is under the GPL; here by OpenCC's, unless
 * `using` names that table.
 */
function transcriptItems(
  text: string,
  language: TranscriptLanguage,
  using: readonly Normalizer[] = usualNormalizers[language],
): readonly string[] {
  const clean = cleanTranscript(text, { withoutSpaces: language === 'mandarin' })
  const words = splitWhiteSpace(withoutPunctuationWords(normalise(clean, using)).toLowerCase())
  return language === 'mandarin' || language === 'cantonese' ? Array.from(words.join('')) : words
}

/** What a task's `normalizers` say of a language; `undefined` where they say nothing. @throws Error where one is not known. */
export const normalizersOf = (
  given: Normalizers | undefined,
  language: TranscriptLanguage,
): readonly Normalizer[] | undefined =>
  given?.[language] === undefined ? undefined : normalizerArgument.parse(given[language])

/** The errors of one transcript, by {@link transcriptItems}; the aggregation `wer` makes them a rate (times 100 for percent). */
export const transcriptErrors = (
  { reference, answer }: { readonly reference: string; readonly answer: string },
  language: TranscriptLanguage,
  using?: readonly Normalizer[],
): ErrorCounts => countErrors(transcriptItems(reference, language, using), transcriptItems(answer, language, using))

/** Edits for each word of `reference`, words between white space; with an empty reference the number of words heard. */
function sentenceErrorRate(reference: string, answer: string): number {
  const words = splitWhiteSpace(reference)
  return editDistance(words, splitWhiteSpace(answer)) / Math.max(words.length, 1)
}

/**
 * The word error rate of one answer of AMI or VoxPopuli: its transcript out of the wrapping, both sides in small letters and after
 * `using`; 1 where the reference is empty.
 *
 * Source: lmms-eval 0.7.2, `tasks/ami/utils.py` (`no_ascii_punctuation`) and `tasks/voxpopuli/utils.py`.
 */
export function wrappedErrorRate(
  { reference, answer }: { readonly reference: string; readonly answer: string },
  wrapping: TranscriptionWrapping,
  using: readonly Normalizer[] = [],
): number {
  if (reference === '') return 1
  const plain = (text: string): string => normalise(stripWhiteSpace(text).toLowerCase(), using)
  return sentenceErrorRate(plain(reference), plain(extractTranscription(answer, wrapping)))
}

/** The word error rate of one answer in plain English: 1 where only the reference is empty. Source: lmms-eval 0.7.2, `tasks/av_asr/utils.py`. */
export function plainErrorRate(reference: string, answer: string): number {
  const [said, heard] = [reference, answer].map(text => splitWhiteSpace(normalise(text, ['plain_english'])))
  if (said === undefined || heard === undefined) return 0
  if (said.length === 0) return heard.length === 0 ? 0 : 1
  return editDistance(said, heard) / said.length
}

/** Chinese characters one by one, and words that begin with a Latin letter or an apostrophe; nothing else. */
export const mixedTokens = (text: string): readonly string[] =>
  Array.from(text.matchAll(/[\u4e00-\u9fff]|[a-zA-Z']+[\p{L}\p{N}_]*/gu), ([token]) => token)

/**
 * The mixed error rate of Mandarin with English words: edits over the longer side's tokens, in [0, 1]; 1 where the reference is empty, and 0
 * where neither side has a token. Not jiwer's match error rate.
 *
 * Source: lmms-eval 0.7.2, `tasks/wenet_speech/utils.py`, compute_mer.
 */
export function mixedErrorRate(reference: string, answer: string): number {
  if (reference === '') return 1
  const [said, heard] = [mixedTokens(stripWhiteSpace(reference)), mixedTokens(stripWhiteSpace(answer))]
  const longer = Math.max(said.length, heard.length)
  return longer === 0 ? 0 : editDistance(said, heard) / longer
}

/** How a benchmark's models are known to wrap what they heard. Patterns' first group is the transcript. */
interface TranscriptionWrapping {
  readonly patterns: readonly RegExp[]
  readonly prefixes: readonly RegExp[]
}

const tagged = ['answer', 'response', 'result', 'transcription', 'text'].map(tag =>
  pythonRegex(`(?i)<${tag}>\\s*([\\s\\S]*?)\\s*</${tag}>`),
)
const longQuote = pythonRegex('(?s)[\'"]([^\'"]{20,})[\'"]')
const says = '(?i)^(?:the\\s+)?(?:audio|speech)\\s+(?:says|contains)\\s*:\\s*'
const label = '(?i)^(?:answer|response|result)\\s*:\\s*'

/** Introductions, then a quotation to the end of the text, `end` behind it. */
const quotations = (introductions: readonly string[], end: string): readonly RegExp[] => [
  ...introductions.map(introduction => pythonRegex(`(?is)${introduction}\\s*:\\s*['"](.+?)['"]${end}`)),
  pythonRegex(`(?s)^['"](.+?)['"]${end === '\\s*$' ? '$' : end}`),
]

const original = '(?:the\\s+)?original\\s+content\\s+(?:of\\s+)?(?:this\\s+)?audio\\s+is'
const content = '(?:the\\s+)?(?:audio|speech)\\s+(?:content|transcription|says)'

/** Source: lmms-eval 0.7.2, `tasks/voxpopuli/utils.py`, extract_transcription. */
export const voxpopuliWrapping: TranscriptionWrapping = {
  patterns: [...tagged, ...quotations([original, content, 'transcription'], '\\s*$'), longQuote],
  prefixes: ['(?i)^(?:here\\s+is\\s+)?(?:the\\s+)?transcription\\s*:\\s*', says, label].map(each => pythonRegex(each)),
}

/** Source: lmms-eval 0.7.2, `tasks/ami/utils.py`, extract_transcription. */
export const amiWrapping: TranscriptionWrapping = {
  patterns: [
    ...tagged,
    ...quotations(
      ['(?:the\\s+)?transcription\\s+(?:of\\s+)?(?:the\\s+)?audio\\s+is', original, content],
      '\\s*\\.?\\s*$',
    ),
    longQuote,
  ],
  prefixes: [
    '(?i)^(?:here\\s+is\\s+)?(?:the\\s+)?transcription\\s*(?:of\\s+(?:the\\s+)?audio)?\\s*:\\s*',
    says,
    label,
  ].map(each => pythonRegex(each)),
}

/** What was heard, out of tags, an introduction, or quotation marks; the whole answer where there are none. */
export function extractTranscription(answer: string, { patterns, prefixes }: TranscriptionWrapping): string {
  const text = stripWhiteSpace(answer)
  for (const pattern of patterns) {
    const found = pattern.exec(text)
    if (found !== null) return stripWhiteSpace(found[1] ?? '')
  }
  return stripWhiteSpace(prefixes.reduce((rest, prefix) => rest.replace(prefix, ''), text))
}
