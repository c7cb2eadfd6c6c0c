import { inflateSync } from 'node:zlib'

/** The type of a page's object. */
const page = /\/Type\s*\/Page(?![A-Za-z])/
/** Objects that are packed into a stream. */
const packed = /\/ObjStm(?![A-Za-z])/g
/** The maximum size of the objects in one stream. */
const mostBytes = 64 * 2 ** 20

/**
 * Tells whether a PDF certainly has no page. A part that cannot be read, such as an encrypted one, may hold pages.
 *
 * @param bytes the whole document
 */
export function hasNoPages(bytes: Buffer): boolean {
  const text = bytes.toString('latin1')
  if (page.test(text)) return false
  for (const { index } of text.matchAll(packed)) {
    const objects = readObjects(bytes, text, index)
    if (objects === undefined || page.test(objects)) return false
  }
  return true
}

function readObjects(bytes: Buffer, text: string, from: number): string | undefined {
  const stream = /stream\r?\n/g
  stream.lastIndex = from
  const end = text.indexOf('endstream', from)
  if (stream.exec(text) === null || end < stream.lastIndex) return undefined
  try {
    return inflateSync(bytes.subarray(stream.lastIndex, end), { maxOutputLength: mostBytes }).toString('latin1')
  } catch {
    return undefined
  }
}
