import { PipelineError } from '../../../base/errors.js'
import { shownPath } from '../../../base/shown-path.js'
import type { Doc } from '../tasks/doc.js'
import type { Dataset } from './dataset.js'
import { textPieces } from './text-lines.js'

/**
 * A comma-separated file (RFC 4180), or one with tabs where its name says `.tsv`, whose first record names the columns. Every
 * value is text.
 */
export async function openCsv(file: string): Promise<Dataset> {
  for await (const names of records(file))
    return {
      files: [file],
      columns: names.map(name => ({ name, isMedia: false })),
      rows: () => readRows(file),
    }
  throw new PipelineError('dataset', `${shownPath(file)} is empty`)
}

async function* readRows(file: string): AsyncGenerator<Doc> {
  let names: readonly string[] | undefined
  let number = 0
  for await (const record of records(file)) {
    number++
    if (names === undefined) names = record
    else if (record.length === names.length)
      yield Object.fromEntries(names.map((name, index) => [name, record[index] ?? '']))
    else if (record.length > 1 || record[0] !== '')
      throw new PipelineError(
        'dataset',
        `${shownPath(file)}, record ${number}: ${record.length} values for ${names.length} columns`,
      )
  }
}

/** Values between commas or tabs; a quoted one may hold commas, line ends and doubled quotes. */
async function* records(file: string): AsyncGenerator<readonly string[]> {
  const value = /\.tsv(\.\w+)?$/i.test(file) ? tabbed : commaed
  let rest = ''
  for await (const piece of textPieces(file)) {
    rest += piece
    const end = completeUntil(rest)
    if (end > 0) yield* parseRecords(rest.slice(0, end), value)
    rest = rest.slice(end)
  }
  if ((rest.match(/"/g)?.length ?? 0) % 2 === 1)
    throw new PipelineError('dataset', `${shownPath(file)} ends inside a quoted value`)
  if (rest !== '') yield* parseRecords(rest, value)
}

/** The position after the last line end that is outside of quotes. */
function completeUntil(text: string): number {
  let isQuoted = false
  let end = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') isQuoted = !isQuoted
    else if (text[i] === '\n' && !isQuoted) end = i + 1
  }
  return end
}

const commaed = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/y
const tabbed = /("(?:[^"]|"")*"|[^\t\r\n]*)(\t|\r?\n|$)/y

function* parseRecords(text: string, pattern: RegExp): Generator<readonly string[]> {
  const value = new RegExp(pattern)
  let record: string[] = []
  while (value.lastIndex < text.length || record.length > 0) {
    const [, raw = '', end = ''] = value.exec(text) ?? []
    record.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw)
    if (end === ',' || end === '\t') continue
    yield record
    record = []
    if (end === '') return
  }
}
