import { readFile } from 'node:fs/promises'
import { fileTrouble } from '../../../base/files/files.js'
import type { MediaFiles } from '../datasets/media/media-files.js'
import type { MediumSource } from '../tasks/doc.js'
import { decodeBase64, decodeInlineMedium, isInlineMedium, shownName } from './inline-medium.js'
import { MediumError } from './medium-error.js'

/**
 * Returns the bytes of a medium.
 *
 * @throws MediumError where the medium is missing.
 */
export async function readMedium(source: MediumSource, files: Pick<MediaFiles, 'locate'>): Promise<Uint8Array> {
  const { bytes, path } = bytesAndPath(source)
  if (bytes !== undefined) return bytes
  if (path === undefined) throw new MediumError('the doc has no medium: neither bytes nor a path')
  try {
    const file = await files.locate(path)
    if (file === undefined) throw new MediumError(noFile(path))
    return await readFile(file)
  } catch (error) {
    const why = fileTrouble(error)
    throw why === undefined ? error : new MediumError(`${shownName(path)} can't be read: ${why}`, { cause: error })
  }
}

/** Words the error for a missing file. */
export const noFile = (name: string): string =>
  `no file ${shownName(name)}${/^\d+$/.test(name) ? '. A number stands for the picture of another row in TSV and CSV files of VLMEvalKit, and no row of this index has one: write the picture into each row' : ''}`

/**
 * Returns the bytes or the path of a medium. Media in the form of text are decoded.
 *
 * @throws MediumError where such a text is damaged
 */
export function bytesAndPath(source: MediumSource): { readonly bytes?: Uint8Array; readonly path?: string } {
  if (typeof source === 'string')
    return isInlineMedium(source) ? { bytes: decodeInlineMedium(source) } : { path: source }
  if (source instanceof Uint8Array) return { bytes: source }
  if ('media' in source) return {}
  const { bytes, path } = source
  if (typeof bytes === 'string') return { bytes: decodeBytesField(bytes) }
  return {
    ...(bytes === null || bytes === undefined ? {} : { bytes }),
    ...(path === null || path === undefined
      ? {}
      : bytes === undefined || bytes === null
        ? bytesAndPath(path)
        : { path }),
  }
}

/** Decodes `{"bytes": "…"}`, the form in which the package `datasets` writes media to JSON. */
const decodeBytesField = (text: string): Uint8Array =>
  isInlineMedium(text) ? decodeInlineMedium(text) : decodeBase64(text, `"bytes", a text of ${text.length} characters,`)
