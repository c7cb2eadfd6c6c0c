import type { StreamedBody } from '../batch/batch-calls.js'

export interface FormFile {
  readonly name: string
  readonly type: string
  readonly length: number
  readonly content: AsyncIterable<Uint8Array>
}

/**
 * A form with one file, streamed, so that the file is never as a whole in memory.
 *
 * See RFC 7578.
 *
 * @param token makes up the boundary; the file must not hold it
 */
export function multipartForm(fields: Readonly<Record<string, string>>, file: FormFile, token: string): StreamedBody {
  const boundary = `----pipeline-form-${token}`
  const part = (disposition: string, type = ''): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n`
  const before = Buffer.from(
    Object.entries(fields)
      .map(([name, value]) => `${part(`name="${name}"`)}${value}\r\n`)
      .join('') + part(`name="file"; filename="${file.name}"`, `Content-Type: ${file.type}\r\n`),
  )
  const after = Buffer.from(`\r\n--${boundary}--\r\n`)
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    length: before.length + file.length + after.length,
    content: (async function* () {
      yield before
      yield* file.content
      yield after
    })(),
  }
}
