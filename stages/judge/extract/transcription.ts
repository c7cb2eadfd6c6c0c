import { pythonRegex } from '../../../base/python-regex.js'
import { stripWhiteSpace } from '../../../base/white-space.js'

/** How a benchmark's models are known to wrap what they heard. Patterns' first group is the transcript. */
export interface TranscriptionWrapping {
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
