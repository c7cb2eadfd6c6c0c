import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { messageOf, PipelineError, systemCode } from '../../../base/errors/errors.js'
import { fileTrouble } from '../../../base/files/files.js'
import { tooLong, usualRecordLimit } from '../../../base/files/record-limit.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { unzstandard } from '../../../base/files/zstandard.js'
import type { Doc } from '../tasks/doc.js'
import type { Dataset } from './dataset.js'

/**
 * Yields the pieces of a text file (decompressed where its name ends in `.gz` or `.zst`), 256 KB at a time.
 *
 * @param encoding by Python's name. @default 'utf-8'
 * @throws PipelineError that names the file, where it cannot be read or has another encoding.
 */
export async function* textPieces(file: string, encoding = 'utf-8'): AsyncGenerator<string> {
  const decoder = textDecoder(encoding)
  if (decoder === undefined)
    throw new PipelineError('dataset', `${shownPath(file)}: no encoding "${encoding}" is known`)
  try {
    for await (const bytes of readFileBytes(file)) yield decoder.decode(bytes, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (systemCode(error) !== 'ERR_ENCODING_INVALID_ENCODED_DATA' || !/^utf[-_]?8/i.test(encoding))
      throw unreadable(file, error, encoding)
    throw new PipelineError(
      'dataset',
      `${shownPath(file)}:${await lineOfBadByte(file)}  not UTF-8. Save the file as UTF-8, or name its encoding where it is CSV (dataset_kwargs.encoding)`,
      { cause: error },
    )
  }
}

/** Returns the line, from 1, with the first byte that is not UTF-8. */
async function lineOfBadByte(file: string): Promise<number> {
  let line = 1
  let rest: Uint8Array[] = []
  for await (const bytes of readFileBytes(file)) {
    let start = 0
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      if (!isUtf8(Buffer.concat([...rest, bytes.subarray(start, end)]))) return line
      rest = []
      start = end + 1
      line++
    }
    rest.push(bytes.slice(start))
    if (rest.length * bytes.length > usualRecordLimit) return line
  }
  return line
}

/**
 * Yields the lines of a text file without their ends, one piece of the file at a time.
 *
 * @param limit the maximum characters of a line
 * @throws PipelineError if a line is longer, before it is read to its end.
 */
export async function* textLines(file: string, limit = usualRecordLimit): AsyncGenerator<readonly string[]> {
  // A line may span very many pieces.
  let rest: string[] = []
  let length = 0
  let number = 1
  for await (const piece of textPieces(file)) {
    const [first = '', ...lines] = piece.split('\n')
    rest.push(first)
    length += first.length
    if (length > limit)
      throw new PipelineError('dataset', `${shownPath(file)}:${number}  ${tooLong('this line', limit)}`)
    const last = lines.pop()
    if (last === undefined) continue
    yield [rest.join(''), ...lines]
    number += lines.length + 1
    rest = [last]
    length = last.length
  }
  const end = rest.join('')
  if (end !== '') yield [end]
}

function readFileBytes(file: string): AsyncIterable<Uint8Array> {
  const raw = createReadStream(file, { highWaterMark: 1 << 18 })
  if (file.endsWith('.zst')) return unzstandard(raw)
  // The error reaches the reader of the last stream.
  return file.endsWith('.gz') ? pipeline(raw, createGunzip({ chunkSize: 1 << 18 }), () => undefined) : raw
}

export function unreadable(file: string, error: unknown, encoding = 'utf-8'): PipelineError {
  if (error instanceof PipelineError) return error
  const name = shownPath(file)
  const code = systemCode(error)
  if (code === 'ENOENT') return new PipelineError('dataset', `no file ${name}`, { cause: error })
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
    return new PipelineError('dataset', `${name} is not ${encoding.toUpperCase()} text`, { cause: error })
  return new PipelineError('dataset', `${name} can't be read: ${fileTrouble(error) ?? messageOf(error)}`, {
    cause: error,
  })
}

/** Decodes bytes that arrive in pieces. Called without bytes at the end. */
interface PieceDecoder {
  decode(bytes?: Uint8Array, options?: { readonly stream: boolean }): string
}

/** Decodes each byte to the character with its number. The web's `latin1` differs in some places. */
const latin: PieceDecoder = {
  decode: bytes =>
    bytes === undefined ? '' : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'),
}

const isLatin = /^(latin[-_]?1|l1|iso[-_]?8859[-_]1|8859|cp819)$/i

/**
 * Returns a strict decoder for an encoding by Python's name.
 *
 * @returns undefined if it is unknown
 */
function textDecoder(encoding: string): PieceDecoder | undefined {
  if (isLatin.test(encoding)) return latin
  const label = encoding
    .replace(/^(utf[-_]?8[-_]sig|(us[-_])?ascii)$/i, 'utf-8')
    .replace(/^cp(125\d)$/i, 'windows-$1')
    .replace(/^utf[-_]?(8|16)/i, 'utf-$1')
  for (const name of [label, label.replaceAll('_', '-')]) {
    try {
      return new TextDecoder(name, { fatal: true })
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }
  return undefined
}

/** Reads the non-blank lines of a text file, each with its number from 1 and its `file:line` for messages. */
export async function* numberedLines(
  file: string,
  limit?: number,
): AsyncGenerator<{ readonly text: string; readonly line: number; readonly place: string }> {
  let line = 0
  for await (const lines of textLines(file, limit))
    for (const text of lines) {
      line++
      if (text.trim() !== '') yield { text, line, place: `${shownPath(file)}:${line}` }
    }
}

/** Opens a text file: each line is a row with the column `text`. */
export async function openText(file: string, limit?: number): Promise<Dataset> {
  for await (const lines of textLines(file, limit))
    if (lines.length > 0)
      return { files: [file], columns: [{ name: 'text', isMedia: false }], rows: () => readRows(file, limit) }
  throw new PipelineError('dataset', `${shownPath(file)} is empty`)
}

async function* readRows(file: string, limit?: number): AsyncGenerator<Doc> {
  for await (const lines of textLines(file, limit)) for (const text of lines) yield { text: text.replace(/\r$/, '') }
}
