import { formatCount, size as formatSize } from '../../../base/text/numbers.js'
import { oneLine } from '../../../base/text/visible-text.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type { TaskComparison } from '../../authoring/compare-tasks.js'
import type { DocMedium, DocRequest } from '../../authoring/doc-request.js'
import type { Paint } from './layout/paint.js'
import { clip } from './layout/width.js'

/** One doc of a task as text: messages part by part, media with size and digest, target, and estimated tokens. */
export function docRequestLines(doc: DocRequest, paint: Paint): string[] {
  const { task, id, index, target, continuations, requests, tokens, generation, failure } = doc
  const facts = [`index ${formatCount(index)}`, `${formatCount(requests)} ${requests === 1 ? 'request' : 'requests'}`]
  return [
    `${paint.bold(oneLine(`${task}/${id}`))}   ${facts.join(', ')}`,
    ...(failure === undefined ? [] : [`  ${paint.red('cannot be asked')}   ${failure.message}`]),
    ...promptEntries(doc).flatMap(([name, text]) => entryLines(name, text, paint)),
    ...continuations.map(text => entryLine('choice', JSON.stringify(text), paint)),
    entryLine('target', target === null ? 'none' : formatValue(target), paint),
    ...(isEmpty(generation) ? [] : [entryLine('with', JSON.stringify(generation), paint)]),
    entryLine(
      'tokens',
      `about ${formatCount(tokens.likely)} in   (${formatCount(tokens.low)} – ${formatCount(tokens.high)})`,
      paint,
    ),
    '',
  ]
}

/** A request without generation arguments has the defaults of its model. */
const isEmpty = (generation: DocRequest['generation'] = {}): boolean => Object.keys(generation).length === 0

type Entry = readonly [name: string, text: string]

function promptEntries({ input, media }: DocRequest): readonly Entry[] {
  return (input?.messages ?? []).flatMap(({ role, content }) =>
    content.map((part): Entry => {
      if (part.type === 'text') return [role, part.text]
      const derived = JSON.stringify(part.derive)
      const medium = media.find(({ digest, derive }) => digest === part.media && JSON.stringify(derive) === derived)
      return [part.type, medium === undefined ? part.media : formatMedium(medium)]
    }),
  )
}

function formatMedium({ digest, bytes, size, derive }: DocMedium): string {
  const pixels = size === undefined ? [] : [`${size.width}×${size.height}`]
  return [...pixels, formatSize(bytes), digest, ...(derive === undefined ? [] : [JSON.stringify(derive)])].join('   ')
}

const entryLine = (name: string, text: string, paint: Paint): string => `  ${paint.dim(name.padEnd(9))}   ${text}`

const entryLines = (name: string, text: string, paint: Paint): readonly string[] =>
  text.split(/\r?\n/u).map((line, at) => entryLine(at === 0 ? name : '', line, paint).trimEnd())

const formatValue = (value: Json | undefined): string =>
  value === undefined ? 'not given' : oneLine(JSON.stringify(value))

/** The differences of two tasks as text: keys, code, and the lines of a prompt that differ. */
export function taskComparisonLines(
  { a, b, keys, code, data, isPromptChanged, docs }: TaskComparison,
  paint: Paint,
): string[] {
  const isSame = keys.length === 0 && code.length === 0 && data.length === 0 && !isPromptChanged
  if (isSame) return [`${a} and ${b} do not differ`]
  const [first, second] = docs.map(listPromptLines)
  return [
    ...keys.flatMap(({ key, a: own, b: other }) => [
      paint.bold(key),
      `  ${paint.red(`- ${clip(formatValue(own), 400)}`)}`,
      `  ${paint.green(`+ ${clip(formatValue(other), 400)}`)}`,
    ]),
    ...(code.length === 0 ? [] : [`code differs: ${code.map(oneLine).join(', ')}`]),
    ...(data.length === 0 ? [] : [`data differ: ${data.map(oneLine).join(', ')}`]),
    ...(isPromptChanged
      ? ['', paint.bold('the prompt of a doc'), ...differingLines(first ?? [], second ?? [], paint)]
      : ['', `the requests of the doc are the same: ${data.length === 0 ? 'answers are' : 'its answer is'} reused`]),
  ]
}

function listPromptLines(doc: DocRequest | string): readonly string[] {
  if (typeof doc === 'string') return [`(${doc})`]
  const entries = [
    ...promptEntries(doc),
    ...doc.continuations.map((text): Entry => ['choice', JSON.stringify(text)]),
    ...(isEmpty(doc.generation) ? [] : [['with', JSON.stringify(doc.generation)] as const]),
  ]
  return entries.flatMap(([name, text]) => text.split('\n').map(line => `${name.padEnd(9)}   ${line}`))
}

/** Formats a line diff of two texts (longest common subsequence), with `-` and `+` before lines of only one text. */
function differingLines(first: readonly string[], second: readonly string[], paint: Paint): readonly string[] {
  const [rows, columns] = [first.length, second.length]
  if (rows * columns > mostCells)
    return [...first.map(line => paint.red(`- ${line}`)), ...second.map(line => paint.green(`+ ${line}`))]
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1))
  const read = (row: number, column: number): number => lengths[row]?.[column] ?? 0
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--) {
      const cells = lengths[row]
      if (cells === undefined) continue
      cells[column] =
        first[row] === second[column]
          ? read(row + 1, column + 1) + 1
          : Math.max(read(row + 1, column), read(row, column + 1))
    }
  const lines: string[] = []
  let [row, column] = [0, 0]
  while (row < rows || column < columns) {
    const [own = '', other = ''] = [first[row], second[column]]
    if (row < rows && column < columns && own === other) {
      lines.push(`  ${own}`)
      row += 1
      column += 1
    } else if (row < rows && (column === columns || read(row + 1, column) >= read(row, column + 1))) {
      lines.push(paint.red(`- ${own}`))
      row += 1
    } else {
      lines.push(paint.green(`+ ${other}`))
      column += 1
    }
  }
  return lines
}

/** The maximum number of cells of the table that finds common lines. */
const mostCells = 4_000_000
