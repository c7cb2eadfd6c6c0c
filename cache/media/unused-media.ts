import { isObject, type Json } from '../../base/values/canonical-json.js'
import { parseDigest, type MediaDigest } from '../digest.js'
import type { ListedMedium, MediaStore } from '../store.js'

/** A value of the store that names derived media, such as the frames of a video. Derived media can be made again. */
export interface RememberedMedia {
  /** The name of the value. */
  readonly name: string
  readonly media: readonly MediaDigest[]
  /** The medium from which they were made. Older versions did not note it. */
  readonly source?: MediaDigest | undefined
}

/** The beginnings of the names of such values. */
export const rememberedPrefixes = ['derived ', 'upright '] as const

/** Reads the media that a value names. Undefined if the value has another form. */
export function readRememberedMedia(name: string, text: string): RememberedMedia | undefined {
  const value = parseJson(text)
  if (!isObject(value)) return undefined
  const { media, source } = value
  const names = (Array.isArray(media) ? media : [media]).filter(digest => typeof digest === 'string')
  return {
    name,
    media: names.map(digest => parseDigest<'media'>(digest)),
    ...(typeof source === 'string' && { source: parseDigest<'media'>(source) }),
  }
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Media that nothing refers to, and the values that name such media. */
export interface UnusedMedia {
  readonly media: readonly ListedMedium[]
  readonly values: readonly string[]
}

/**
 * Finds media that nothing refers to. Derived media are in use as long as their source is. Frames of an unknown source are kept.
 *
 * @param used the media that rows refer to
 */
export async function findUnusedMedia(
  store: Pick<MediaStore, 'list'>,
  used: ReadonlySet<MediaDigest>,
  remembered: readonly RememberedMedia[],
): Promise<UnusedMedia> {
  const keptMedia = new Set(used)
  for (const { name, media, source } of remembered) {
    const isKept = name.startsWith('derived ') && (source === undefined || used.has(source))
    if (isKept) for (const digest of media) keptMedia.add(digest)
  }
  const unused: ListedMedium[] = []
  for await (const medium of store.list()) if (!keptMedia.has(medium.digest)) unused.push(medium)
  const values = remembered.filter(({ media }) => media.some(digest => !keptMedia.has(digest))).map(({ name }) => name)
  return { media: unused, values }
}

/** The number and size of media. */
export const sumMedia = (media: readonly ListedMedium[]): { readonly files: number; readonly bytes: number } => ({
  files: media.length,
  bytes: media.reduce((sum, { bytes }) => sum + bytes, 0),
})
