import { formatDecimal } from '../../../../base/text/numbers.js'
import { oneLine } from '../../../../base/text/visible-text.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { Sample } from '../../../../cache/store.js'
import type { DocPair } from '../../../reading/comparing/changed-docs.js'
import type { Paint } from '../layout/paint.js'
import { clip, displayWidth, padRight } from '../layout/width.js'

/** The maximum number of lines shown of one text. */
const mostLines = 24
/** The width for output without a terminal, such as a file. */
const unknownWidth = 120

/** One doc of two runs as text: the question once, and both answers side by side with their scores. */
export function docPairLines(
  { task, id, a, b }: DocPair,
  names: { readonly a: string; readonly b: string },
  paint: Paint,
): string[] {
  const columns = Number.isFinite(paint.columns) ? paint.columns : unknownWidth
  const width = Math.max(16, Math.floor((columns - 5) / 2))
  const [first, second] = [readQuestion(a), readQuestion(b)]
  const isSame = first === second
  const sideBySide = (left: string, right: string): string[] => {
    const [lefts, rights] = [wrapText(left, width), wrapText(right, width)]
    return Array.from({ length: Math.max(lefts.length, rights.length) }, (_, at) =>
      `  ${padRight(lefts[at] ?? '', width)} ${paint.dim('│')} ${rights[at] ?? ''}`.trimEnd(),
    )
  }
  return [
    paint.bold(oneLine(`${task}/${id}`)),
    ...(isSame ? wrapText(first, columns - 4).map(line => `  ${paint.dim(line)}`) : []),
    ...(a.record.target === null ? [] : [`  ${paint.dim('target')} ${clip(showValue(b.record.target), columns - 10)}`]),
    ...sideBySide(`${names.a}   ${formatScores(a)}`, `${names.b}   ${formatScores(b)}`),
    ...(isSame ? [] : sideBySide(first, second)),
    ...sideBySide(readAnswers(a), readAnswers(b)),
    '',
  ]
}

/** The messages of the first request. Media are named by their kind. */
const readQuestion = ({ items }: Sample): string =>
  (items[0]?.request?.input.messages ?? [])
    .map(({ content }) => content.map(part => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' '))
    .join('\n')

const readAnswers = ({ items, record }: Sample): string =>
  items
    .map(({ response, failure, choice, request }) => {
      if (failure !== undefined) return `(failed: ${failure.class}: ${failure.message})`
      if (response === undefined) return '(not answered yet)'
      const { body } = response
      if (request?.input.continuation === undefined) return body.text === '' ? '(empty)' : body.text
      return `${record.choices?.[choice] ?? request.input.continuation}   ${formatDecimal(body.logprob ?? null)}`
    })
    .join('\n')

function formatScores({ score }: Sample): string {
  if (score === undefined) return 'not scored'
  const values = Object.entries(score.values).map(
    ([metric, value]) => `${metric} ${typeof value === 'number' ? formatDecimal(value) : showValue(value)}`,
  )
  return [...(score.outcome === 'scored' ? [] : [score.outcome]), ...values].join('   ')
}

const showValue = (value: Json): string => oneLine(typeof value === 'string' ? value : JSON.stringify(value))

/** Breaks a text at words into lines of at most `width` columns. A longer word is cut into pieces. */
function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const paragraph of text.trimEnd().split(/\r?\n/u)) {
    let line = ''
    for (const word of paragraph.split(/ +/u).flatMap(long => cutWord(oneLine(long), width))) {
      const joined = line === '' ? word : `${line} ${word}`
      if (displayWidth(joined) <= width) line = joined
      else {
        lines.push(line)
        line = word
      }
    }
    lines.push(line)
    if (lines.length > mostLines) return [...lines.slice(0, mostLines), '…']
  }
  return lines
}

function cutWord(word: string, width: number): readonly string[] {
  const pieces: string[] = []
  let piece = ''
  for (const character of word) {
    if (displayWidth(piece + character) > width) {
      pieces.push(piece)
      piece = ''
    }
    piece += character
  }
  return [...pieces, piece]
}
