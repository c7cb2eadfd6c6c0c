import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path/posix'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Parser, type ReadEntry } from 'tar'
import { messageOf } from '../../../../base/errors/errors.js'
import { DatasetProblem } from '../dataset.js'
import type { Unpacking } from './unpacked-folder.js'

/**
 * Unpacks a tar archive, plain or compressed (gzip, Zstandard), from one file or from pieces.
 *
 * @throws DatasetProblem where it is damaged or not a tar archive.
 */
export async function readTar(pieces: readonly string[], name: string, unpacking: Unpacking): Promise<void> {
  const parser = new Parser({ strict: true })
  const sink = makeParserSink(parser)
  let queue = Promise.resolve()
  let isOver = false
  let current: Readable | undefined
  const begin = (entry: ReadEntry): Readable => (current = Readable.from(entry))
  parser.on('entry', (entry: ReadEntry) => {
    queue = queue
      .then(() => (isOver ? undefined : unpackEntry(entry, unpacking, begin)))
      .catch((error: unknown) => void sink.destroy(error instanceof Error ? error : new Error(messageOf(error))))
  })
  try {
    await pipeline(Readable.from(readPieces(pieces)), sink)
    await queue
    if (sink.errored !== null) throw sink.errored
  } catch (error) {
    // Nothing is written after this function returns, so the folder can be deleted.
    isOver = true
    current?.destroy()
    await queue
    if (error instanceof DatasetProblem || (error instanceof Error && 'syscall' in error)) throw error
    throw new DatasetProblem('dataset_path', `${name} can't be unpacked: ${messageOf(error)}`, { cause: error })
  }
}

async function* readPieces(pieces: readonly string[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield* createReadStream(piece, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>
}

/** Adapts the parser to a stream of Node's. */
function makeParserSink(parser: Parser): Writable {
  const sink = new Writable({
    write(bytes: Buffer, _encoding, done) {
      if (parser.write(bytes)) done()
      else parser.once('drain', () => done())
    },
    final(done) {
      parser.once('end', () => done())
      parser.end()
    },
  })
  parser.on('error', (error: Error) => void sink.destroy(error))
  return sink
}

async function unpackEntry(
  entry: ReadEntry,
  unpacking: Unpacking,
  begin: (entry: ReadEntry) => Readable,
): Promise<void> {
  switch (entry.type) {
    case 'File':
    case 'OldFile':
    case 'ContiguousFile':
      return unpacking.file(entry.path, begin(entry))
    case 'Link':
      unpacking.link(entry.path, entry.linkpath ?? '')
      break
    case 'SymbolicLink': {
      const target = entry.linkpath ?? ''
      unpacking.link(entry.path, target.startsWith('/') ? target : join(dirname(entry.path), target))
      break
    }
    case 'Directory':
      break
    default:
      throw new DatasetProblem(
        'dataset_path',
        `an archive holds what is no file (${entry.path}, ${entry.type}): it is not unpacked`,
      )
  }
  entry.resume()
}

/** Tells whether a file is the beginning of an archive, rather than a later piece of one. */
export async function beginsTar(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const head = Buffer.alloc(262)
    await handle.read(head, 0, head.length, 0)
    return (
      head.toString('latin1', 257, 262) === 'ustar' ||
      head.readUInt16BE(0) === 0x1f8b ||
      head.readUInt32LE(0) === 0xfd2fb528
    )
  } finally {
    await handle.close()
  }
}
