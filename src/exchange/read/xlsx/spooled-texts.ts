import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { growingColumn } from '../../../../base/collections/growing-column.js'

/** A list of texts in a temporary file. In memory are the places of the texts, and the parts of the file read last. */
export interface SpooledTexts {
  readonly length: number
  push(text: string): void
  at(index: number): string | undefined
  /** Removes the file. */
  close(): void
}

const blockBytes = 1 << 16
/** A sheet lists texts column by column but is read row by row, so that one block for each column is in use. */
const mostBlocks = 64

export function spooledTexts(): SpooledTexts {
  const folder = mkdtempSync(join(tmpdir(), 'pipeline-texts-'))
  const file = openSync(join(folder, 'texts'), 'w+')
  const starts = growingColumn()
  const blocks = new Map<number, Buffer>()
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let writtenBytes = 0
  const flush = (): void => {
    const bytes = Buffer.concat(waiting)
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, writtenBytes + at)
    writtenBytes += bytes.length
    waiting = []
    waitingBytes = 0
    blocks.clear()
  }
  const block = (number: number): Buffer => {
    const cachedBlock = blocks.get(number)
    if (cachedBlock !== undefined) {
      // The map's order is the order of use.
      blocks.delete(number)
      blocks.set(number, cachedBlock)
      return cachedBlock
    }
    const bytes = Buffer.alloc(blockBytes)
    const length = readSync(file, bytes, 0, blockBytes, number * blockBytes)
    const read = bytes.subarray(0, length)
    blocks.set(number, read)
    const [oldest] = blocks.keys()
    if (blocks.size > mostBlocks && oldest !== undefined) blocks.delete(oldest)
    return read
  }
  return {
    get length() {
      return starts.length
    },
    push(text) {
      const bytes = Buffer.from(text)
      starts.push(writtenBytes + waitingBytes)
      waiting.push(bytes)
      waitingBytes += bytes.length
      if (waitingBytes >= blockBytes) flush()
    },
    at(index) {
      if (index < 0 || index >= starts.length) return undefined
      if (waitingBytes > 0) flush()
      const [start, end] = [starts.at(index), index + 1 < starts.length ? starts.at(index + 1) : writtenBytes]
      const parts: Buffer[] = []
      for (let at = start; at < end;) {
        const number = Math.floor(at / blockBytes)
        const from = at - number * blockBytes
        const part = block(number).subarray(from, Math.min(blockBytes, from + end - at))
        parts.push(part)
        at += part.length
      }
      const [only] = parts
      return parts.length === 1 && only !== undefined ? only.toString() : Buffer.concat(parts).toString()
    },
    close() {
      closeSync(file)
      rmSync(folder, { recursive: true })
    },
  }
}
