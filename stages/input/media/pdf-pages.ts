import { setImmediate } from 'node:timers/promises'
import { createInflate } from 'node:zlib'
import { WorkBudget, WorkBudgetError } from '../../../base/files/work-budget.js'

/** The type of a page's object. */
const page = /\/Type\s*\/Page(?![A-Za-z])/
/** The maximum length of a page's type with the space in it. Pieces overlap by it. */
const overlap = 1024
/** Objects that are packed into a stream. */
const packed = /\/ObjStm(?![A-Za-z])/g
/** The maximum number of such streams that are inflated, and of the bytes that all of them become. */
const limits = { steps: 10_000, bytes: 64 * 2 ** 20 }
/** The number of bytes that are searched before other work gets its turn. */
const pieceBytes = 2 * 2 ** 20

/**
 * Tells whether a PDF certainly has no page. A part that cannot be read, such as an encrypted one, or one beyond the limits may hold pages. Each part
 * of the document is searched once, in pieces, and streams are inflated outside of the main thread.
 *
 * @param bytes the whole document
 */
export async function hasNoPages(bytes: Buffer): Promise<boolean> {
  const text = bytes.toString('latin1')
  for (let at = 0; at < text.length; at += pieceBytes) {
    if (page.test(text.slice(at, at + pieceBytes + overlap))) return false
    if (at > 0) await setImmediate()
  }
  const budget = new WorkBudget(limits)
  packed.lastIndex = 0
  for (let at = 0; ;) {
    packed.lastIndex = at
    const word = packed.exec(text)
    if (word === null) return true
    const stream = findStream(text, word.index)
    if (stream === undefined || !budget.tryStep()) return false
    if (await mayHoldPages(bytes.subarray(stream.from, stream.to), budget)) return false
    // Whatever else names the kind of this stream stands before it.
    at = stream.to
  }
}

/** Finds the content of the stream that follows a position. */
function findStream(text: string, position: number): { readonly from: number; readonly to: number } | undefined {
  const begin = /stream\r?\n/g
  begin.lastIndex = position
  if (begin.exec(text) === null) return undefined
  const to = text.indexOf('endstream', position)
  return to < begin.lastIndex ? undefined : { from: begin.lastIndex, to }
}

/** Inflates a stream in pieces until a page is found. True as well if it cannot be inflated, or is too large. */
async function mayHoldPages(stream: Buffer, budget: WorkBudget): Promise<boolean> {
  const inflate = createInflate({ chunkSize: 256 * 1024 })
  inflate.end(stream)
  let rest = ''
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      budget.produce(chunk.length)
      const text = rest + chunk.toString('latin1')
      if (page.test(text)) return true
      rest = text.slice(-overlap)
    }
    return false
  } catch (error) {
    if (error instanceof WorkBudgetError || (error instanceof Error && 'code' in error)) return true
    throw error
  } finally {
    inflate.destroy()
  }
}
