/** Reads the first rows of a data file, and describes its columns. */
import { isObject } from '../../base/values/canonical-json.js'
import { PipelineError } from '../../base/errors/errors.js'
import { shownPath } from '../../base/files/shown-path.js'
import { fileTrouble } from '../../base/files/files.js'
import { openDataFile } from '../../stages/input/datasets/data-file.js'
import { DatasetProblem } from '../../stages/input/datasets/dataset.js'

/** A column with what its first values are. */
export interface DataColumn {
  readonly name: string
  readonly kind: 'text' | 'number' | 'yes or no' | 'list' | 'image' | 'audio' | 'video' | 'object' | 'empty'
  /** The first existing value, as a text. */
  readonly example: string
}

export type Row = Readonly<Record<string, unknown>>

/** The number of rows to inspect. Media are large, so fewer rows with bytes are read. */
const lookedAt = { rows: 500, rowsWithBytes: 50 }

/** The first rows of a data file, with its columns. */
export interface FirstRows {
  readonly rows: readonly Row[]
  readonly columns: readonly DataColumn[]
}

/**
 * Reads the first rows of a CSV, JSON, JSONL or Parquet file.
 *
 * @throws PipelineError if the file cannot be read or has no rows
 */
export async function readFirstRows(file: string): Promise<FirstRows> {
  const rows: Row[] = []
  try {
    const { dataset } = await openDataFile(file)
    for await (const row of dataset.rows()) {
      rows.push(row)
      const most = rows.some(hasBytes) ? lookedAt.rowsWithBytes : lookedAt.rows
      if (rows.length >= most) break
    }
  } catch (error) {
    throw explainDataError(file, error)
  }
  if (rows.length === 0) throw new PipelineError('dataset', `${shownPath(file)} has no rows`)
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))]
  return { rows, columns: names.map(name => describeColumn(name, rows)) }
}

const hasBytes = (row: Row): boolean =>
  Object.values(row).some(value => value instanceof Uint8Array || (isObject(value) && 'bytes' in value))

/** Explains a refusal of the layer that reads data. Such errors name no task here, but the user's file. */
function explainDataError(file: string, error: unknown): unknown {
  if (error instanceof DatasetProblem) return new PipelineError('dataset', error.message, { cause: error })
  const trouble = fileTrouble(error)
  if (trouble !== undefined) return new PipelineError('dataset', `${shownPath(file)}: ${trouble}`, { cause: error })
  return error
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

/** Replaces values that JSON has no form for. */
export const plainValue = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? '…' : typeof value === 'bigint' ? String(value) : value
