import { open } from 'node:fs/promises'
import { systemCode } from '../../../base/errors.js'
import { sniffLength, sniffMediaType, type MediaType } from '../../../base/media-type.js'
import type { MediaFiles } from '../datasets/media/media-files.js'
import { isEditedMedium, type ShownMedium } from '../render/visuals.js'
import { bytesAndPath } from './read-medium.js'

/** What a medium is by its first bytes; `undefined` where it is not there or none that is known. */
export async function mediumKind(source: ShownMedium, files: MediaFiles): Promise<MediaType['kind'] | undefined> {
  const { bytes, path } = bytesAndPath(isEditedMedium(source) ? source.medium : source)
  if (bytes !== undefined) return sniffMediaType(bytes)?.kind
  const file = path === undefined ? undefined : await files.locate(path)
  return file === undefined ? undefined : sniffMediaType(await firstBytes(file))?.kind
}

async function firstBytes(path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sniffLength), 0, sniffLength, 0)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    // It is told where the doc is read in earnest.
    if (systemCode(error) === undefined) throw error
    return new Uint8Array()
  }
}
