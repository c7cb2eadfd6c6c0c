/**
 * Error rates of single transcripts, as AMI, VoxPopuli, WenetSpeech and AV-ASR define them in lmms-eval. No shipped
 * task uses them yet; see `docs/decisions/helpers-before-tasks.md`.
 */
import { pythonRegex } from '../../../base/python/python-regex.js'
import { splitWhiteSpace, stripWhiteSpace } from '../../../base/python/white-space.js'
import { editDistance } from '../metrics/error-rate/edit-distance.js'
import { normalise, type Normalizer } from '../text/normalizers.js'

/**
 * Edits per word of `reference`, with words separated by white space. For an empty reference it is the number of
 * words in the answer.
 */
function sentenceErrorRate(reference: string, answer: string): number {
  const words = splitWhiteSpace(reference)
  return editDistance(words, splitWhiteSpace(answer)) / Math.max(words.length, 1)
}

/**
 * The word error rate of one answer of AMI or VoxPopuli. The transcript is first extracted from the answer, then
 * both sides are put in lower case and normalised by `using`. It is 1 if the reference is empty.
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

/**
 * The word error rate of one answer in plain English; 1 if only the reference is empty.
 * Source: lmms-eval 0.7.2, `tasks/av_asr/utils.py`.
 */
export function plainErrorRate(reference: string, answer: string): number {
  const [said, heard] = [reference, answer].map(text => splitWhiteSpace(normalise(text, ['plain_english'])))
  if (said === undefined || heard === undefined) return 0
  if (said.length === 0) return heard.length === 0 ? 0 : 1
  return editDistance(said, heard) / said.length
}

/** The tokens of mixed text: each Chinese character, and each word that begins with a Latin letter or an apostrophe. */
export const mixedTokens = (text: string): readonly string[] =>
  Array.from(text.matchAll(/[\u4e00-\u9fff]|[a-zA-Z']+[\p{L}\p{N}_]*/gu), ([token]) => token)

/**
 * The mixed error rate of Mandarin with English words: edits over the tokens of the longer side, in [0, 1]. It is 1
 * if the reference is empty, and 0 if neither side has a token. It is not jiwer's match error rate.
 *
 * Source: lmms-eval 0.7.2, `tasks/wenet_speech/utils.py`, compute_mer.
 */
export function mixedErrorRate(reference: string, answer: string): number {
  if (reference === '') return 1
  const [said, heard] = [mixedTokens(stripWhiteSpace(reference)), mixedTokens(stripWhiteSpace(answer))]
  const longer = Math.max(said.length, heard.length)
  return longer === 0 ? 0 : editDistance(said, heard) / longer
}

/** Patterns of the text that models put around a transcript. The first group of a pattern is the transcript. */
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

/** Patterns for an introduction and a quotation up to the end of the text, followed by `end`. */
const quotations = (introductions: readonly string[], end: string): readonly RegExp[] => [
  ...introductions.map(introduction => pythonRegex(`(?is)${introduction}\\s*:\\s*['"](.+?)['"]${end}`)),
  pythonRegex(`(?s)^['"](.+?)['"]${end === '\\s*$' ? '$' : end}`),
]

const original = '(?:the\\s+)?original\\s+content\\s+(?:of\\s+)?(?:this\\s+)?audio\\s+is'
const content = '(?:the\\s+)?(?:audio|speech)\\s+(?:content|transcription|says)'

/** Wrappings of VoxPopuli's answers. Source: lmms-eval 0.7.2, `tasks/voxpopuli/utils.py`, extract_transcription. */
export const voxpopuliWrapping: TranscriptionWrapping = {
  patterns: [...tagged, ...quotations([original, content, 'transcription'], '\\s*$'), longQuote],
  prefixes: ['(?i)^(?:here\\s+is\\s+)?(?:the\\s+)?transcription\\s*:\\s*', says, label].map(each => pythonRegex(each)),
}

/** Wrappings of AMI's answers. Source: lmms-eval 0.7.2, `tasks/ami/utils.py`, extract_transcription. */
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

/** Extracts the transcript from tags, an introduction or quotation marks; else it is the whole answer. */
export function extractTranscription(answer: string, { patterns, prefixes }: TranscriptionWrapping): string {
  const text = stripWhiteSpace(answer)
  for (const pattern of patterns) {
    const match = pattern.exec(text)
    if (match !== null) return stripWhiteSpace(match[1] ?? '')
  }
  return stripWhiteSpace(prefixes.reduce((rest, prefix) => rest.replace(prefix, ''), text))
}
