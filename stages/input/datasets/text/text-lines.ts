import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { PipelineError, messageOf, systemCode } from '../../../../base/errors.js'
import { fileTrouble } from '../../../../base/files.js'
import { recordLimit, tooLong } from '../../../../base/record-limit.js'
import { shownPath } from '../../../../base/shown-path.js'
import { unzstandard } from '../../../../base/zstandard.js'
import { textDecoder } from './text-decoder.js'

/**
 * The pieces of a text file (gzip or Zstandard where its name ends in `.gz` or `.zst`), 256 KB at a time.
 *
 * @param encoding as Python calls it; default UTF-8
 * @throws PipelineError that names the file, where it can't be read or is not of that encoding.
 */
export async function* textPieces(file: string, encoding = 'utf-8'): AsyncGenerator<string> {
  const decoder = textDecoder(encoding)
  if (decoder === undefined)
    throw new PipelineError('dataset', `${shownPath(file)}: no encoding "${encoding}" is known`)
  try {
    for await (const bytes of bytesOf(file)) yield decoder.decode(bytes, { stream: true })
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

/** The line with the first byte that is not UTF-8, from 1. */
async function lineOfBadByte(file: string): Promise<number> {
  let line = 1
  let rest: Uint8Array[] = []
  for await (const bytes of bytesOf(file)) {
    let start = 0
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      if (!isUtf8(Buffer.concat([...rest, bytes.subarray(start, end)]))) return line
      rest = []
      start = end + 1
      line++
    }
    rest.push(bytes.slice(start))
    if (rest.length * bytes.length > recordLimit()) return line
  }
  return line
}

/**
 * The lines of a text file, without their ends, a piece of the file at a time.
 *
 * @throws PipelineError where one is longer than a record may be, before it is read to its end.
 */
export async function* textLines(file: string): AsyncGenerator<readonly string[]> {
  // A line may be very many pieces long.
  let rest: string[] = []
  let length = 0
  let number = 1
  for await (const piece of textPieces(file)) {
    const [first = '', ...lines] = piece.split('\n')
    rest.push(first)
    length += first.length
    if (length > recordLimit())
      throw new PipelineError('dataset', `${shownPath(file)}:${number}  ${tooLong('this line')}`)
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

function bytesOf(file: string): AsyncIterable<Uint8Array> {
  const raw = createReadStream(file, { highWaterMark: 1 << 18 })
  if (file.endsWith('.zst')) return unzstandard(raw)
  // The error reaches whoever reads the last stream.
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
