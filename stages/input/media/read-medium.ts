import { storedText } from '../../../base/errors/option-words.js'
import { readFile } from 'node:fs/promises'
import { fileTrouble } from '../../../base/files/files.js'
import type { MediaFiles } from '../datasets/media/media-files.js'
import type { MediumSource } from '../tasks/doc.js'

/** A medium of one doc that cannot be used. It fails the doc, not the run. */
export class MediumError extends Error {
  override readonly name = 'MediumError'

  constructor(message: string, options?: ErrorOptions) {
    // It is stored as the reason of a failure.
    super(storedText(message), options)
  }
}

/**
 * Returns the bytes of a medium, wherever they are.
 *
 * @throws MediumError where the medium is missing.
 */
export async function readMedium(source: MediumSource, files: Pick<MediaFiles, 'locate'>): Promise<Uint8Array> {
  const { bytes, path } = bytesAndPath(source)
  if (bytes !== undefined) return bytes
  if (path === undefined) throw new MediumError('the doc has no medium: neither bytes nor a path')
  try {
    const file = await files.locate(path)
    if (file === undefined) throw new MediumError(`no file ${path}`)
    return await readFile(file)
  } catch (error) {
    const why = fileTrouble(error)
    throw why === undefined ? error : new MediumError(`${path} can't be read: ${why}`, { cause: error })
  }
}

export function bytesAndPath(source: MediumSource): { readonly bytes?: Uint8Array; readonly path?: string } {
  if (typeof source === 'string') return { path: source }
  if (source instanceof Uint8Array) return { bytes: source }
  if ('media' in source) return {}
  const { bytes, path } = source
  return {
    ...(bytes === null || bytes === undefined ? {} : { bytes }),
    ...(path === null || path === undefined ? {} : { path }),
  }
}
