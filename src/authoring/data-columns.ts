/** Guesses the meaning of the columns of a data file. */
import { isObject } from '../../base/values/canonical-json.js'
import { PipelineError } from '../../base/errors/errors.js'
import { shownPath } from '../../base/files/shown-path.js'
import { didYouMean } from '../../base/text/suggest.js'
import { openDataFile } from '../../stages/input/datasets/data-file.js'

/** A column with what its first values are. */
export interface DataColumn {
  readonly name: string
  readonly kind: 'text' | 'number' | 'yes or no' | 'list' | 'image' | 'audio' | 'video' | 'object' | 'empty'
  /** The first existing value, as a text. */
  readonly example: string
}

/** The meaning of the columns of a data file. */
export interface DataShape {
  readonly columns: readonly DataColumn[]
  readonly target: string
  readonly question: string | undefined
  readonly media: readonly DataColumn[]
  /** A column with a list of options, or the columns `A`, `B` and so on. */
  readonly options: string | readonly string[] | undefined
  /** The kind of the targets of the first rows. */
  readonly answer: AnswerKind
  /** The reason why this column is the target. */
  readonly why: string
}

/** Targets that are all numbers, all yes or no, all of a few words, or else of any length. */
export type AnswerKind = 'number' | 'yes or no' | 'short' | 'long'

type Row = Readonly<Record<string, unknown>>

/** The number of rows to inspect. */
const lookedAt = 50
/** Targets of more words are texts rather than answers. */
const shortWords = 6

const targetNames =
  /^(answers?|targets?|labels?|outputs?|expected(_(answer|output))?|gold(en)?|references?|ideal|solution|completion|response|gt|ground_?truth|correct(_answer)?|caption)$/i
const questionNames = /^(questions?|prompt|input|query|instruction|text|problem|q|sentence)$/i
const optionNames = /^(choices|options|candidates)$/i

/**
 * Reads the first rows of a CSV, JSON, JSONL or Parquet file, and guesses the question, the target, media and options.
 *
 * @param chosen the columns that the caller knows
 * @throws PipelineError if the file cannot be read, a column is missing, or no column looks like a target
 */
export async function readDataShape(
  file: string,
  chosen: { readonly target?: string; readonly question?: string } = {},
): Promise<DataShape> {
  const { rows, names } = await readFirst(file)
  const columns = names.map(name => describeColumn(name, rows))
  for (const [flag, name] of Object.entries(chosen))
    if (!names.includes(name))
      throw new PipelineError(
        'usage',
        `--${flag} ${name}: ${shownPath(file)} has no such column.${didYouMean(name, names)} Columns: ${names.join(', ')}`,
      )
  const media = columns.filter(({ kind }) => kind === 'image' || kind === 'audio' || kind === 'video')
  const { target, why } = chooseTarget(columns, chosen, file)
  const question = chosen.question ?? chooseQuestion(columns, target)
  const letters = names.filter(name => /^[A-H]$/.test(name))
  const list = columns.find(({ name, kind }) => kind === 'list' && name !== target && optionNames.test(name))
  return {
    columns,
    target,
    question,
    media,
    options: list?.name ?? (letters.length > 1 && letters[0] === 'A' ? letters : undefined),
    answer: classifyTargets(rows.flatMap(row => row[target])),
    why,
  }
}

/** Digits with a zero in front are a code, such as that of a place, rather than a number. */
const plainNumber = /^[-+]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$/

const formatTarget = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value, plainValue)).trim()

function classifyTargets(targets: readonly unknown[]): AnswerKind {
  const texts = targets.flatMap(value => (value === null || value === undefined ? [] : [formatTarget(value)]))
  const areAll = (test: (text: string) => boolean): boolean => texts.length > 0 && texts.every(test)
  if (areAll(text => plainNumber.test(text))) return 'number'
  if (areAll(text => /^(?:yes|no|true|false)$/i.test(text))) return 'yes or no'
  return texts.every(text => text.split(/\s+/).length <= shortWords) ? 'short' : 'long'
}

async function readFirst(file: string): Promise<{ readonly rows: readonly Row[]; readonly names: readonly string[] }> {
  const { dataset } = await openDataFile(file)
  const rows: Row[] = []
  for await (const row of dataset.rows()) {
    rows.push(row)
    if (rows.length === lookedAt) break
  }
  if (rows.length === 0) throw new PipelineError('dataset', `${shownPath(file)} has no rows`)
  return { rows, names: [...new Set(rows.flatMap(row => Object.keys(row)))] }
}

function describeColumn(name: string, rows: readonly Row[]): DataColumn {
  const values = rows.map(row => row[name]).filter(value => value !== null && value !== undefined && value !== '')
  const [first] = values
  const kinds = new Set(values.map(value => kindOfValue(name, value)))
  const [kind = 'empty'] = kinds
  return { name, kind: kinds.size > 1 ? 'text' : kind, example: formatExample(first) }
}

const mediaEndings = {
  image: /\.(png|jpe?g|gif|webp|bmp|tiff?|avif|heic)$/i,
  audio: /\.(wav|mp3|flac|ogg|m4a|aac)$/i,
  video: /\.(mp4|mov|webm|mkv|avi|mpe?g)$/i,
} as const

function kindOfValue(name: string, value: unknown): DataColumn['kind'] {
  if (typeof value === 'number' || typeof value === 'bigint') return 'number'
  if (typeof value === 'boolean') return 'yes or no'
  if (Array.isArray(value))
    return value.length > 0 && value.every(item => isMediumLike(name, item)) ? mediumKind(name, value[0]) : 'list'
  if (isMediumLike(name, value)) return mediumKind(name, value)
  return typeof value === 'string' ? 'text' : 'object'
}

function isMediumLike(name: string, value: unknown): boolean {
  if (value instanceof Uint8Array) return true
  if (typeof value === 'object' && value !== null) return 'bytes' in value
  if (typeof value !== 'string') return false
  return (
    /^data:(image|audio|video)\//.test(value) ||
    Object.values(mediaEndings).some(ending => ending.test(value)) ||
    (/^(image|audio|video)s?$/i.test(name) && value.length > 200 && !/\s/.test(value))
  )
}

function mediumKind(name: string, value: unknown): 'image' | 'audio' | 'video' {
  const path = typeof value === 'string' ? value : readPath(value)
  const kinds = ['image', 'audio', 'video'] as const
  return (
    kinds.find(kind => mediaEndings[kind].test(path) || path.startsWith(`data:${kind}/`)) ??
    kinds.find(kind => name.toLowerCase().includes(kind)) ??
    'image'
  )
}

function readPath(value: unknown): string {
  const path: unknown = isObject(value) ? value['path'] : undefined
  return typeof path === 'string' ? path : ''
}

const longestExample = 40

function formatExample(value: unknown): string {
  if (value === undefined) return ''
  if (value instanceof Uint8Array) return `${value.length} bytes`
  const text = typeof value === 'string' ? value : JSON.stringify(value, plainValue)
  const line = text.slice(0, 200).replace(/\s+/g, ' ')
  return line.length > longestExample ? `${line.slice(0, longestExample - 1)}…` : line
}

/** Values that JSON has no form for. */
const plainValue = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? '…' : typeof value === 'bigint' ? String(value) : value

function chooseTarget(
  columns: readonly DataColumn[],
  { target, question }: { readonly target?: string; readonly question?: string },
  file: string,
): { readonly target: string; readonly why: string } {
  if (target !== undefined) return { target, why: 'as --target says' }
  const candidates = columns.filter(({ name }) => targetNames.test(name) && name !== question)
  const [first] = candidates
  if (first !== undefined)
    return {
      target: first.name,
      why:
        candidates.length === 1
          ? 'by its name'
          : `by its name; others could be it: ${candidates
              .slice(1)
              .map(({ name }) => name)
              .join(', ')}`,
    }
  const others = columns.filter(
    ({ name, kind }) =>
      (kind === 'text' || kind === 'number') &&
      name !== question &&
      !questionNames.test(name) &&
      !/^(id|index|idx)$/i.test(name),
  )
  const [only] = others
  if (only !== undefined && others.length === 1) return { target: only.name, why: 'the only column that is left' }
  throw new PipelineError(
    'usage',
    `${shownPath(file)}: no column looks like the right answer. Name it with --target. Columns: ${columns.map(({ name }) => name).join(', ')}`,
  )
}

function chooseQuestion(columns: readonly DataColumn[], target: string): string | undefined {
  const texts = columns.filter(({ name, kind }) => kind === 'text' && name !== target)
  return (
    texts.find(({ name }) => questionNames.test(name)) ??
    texts.find(({ name }) => /question|prompt|query/i.test(name)) ??
    texts.find(({ name }) => !/^(id|index|idx|category|split|source|[A-H])$/i.test(name))
  )?.name
}
