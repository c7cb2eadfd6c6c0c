import { parseDigest, type MediaDigest } from '../digest.js'
import type { PortableRun } from './portable.js'

// Within a text of the preimage a quotation mark is escaped: only a field of that name can match.
const mediaField = /"media":"(sha256:[0-9a-f]{64})"/g

/** The media that an input or a conversation shows, by its text. */
export const mediaIn = (text: string): readonly MediaDigest[] =>
  Array.from(text.matchAll(mediaField), ([, digest = '']) => parseDigest<'media'>(digest))

/** The media that a run's inputs show, and those that came up in conversations, sorted. */
export async function mediaOf(run: Pick<PortableRun, 'items' | 'responses'>): Promise<readonly MediaDigest[]> {
  const digests = new Set<MediaDigest>()
  const find = (text: string): void => {
    for (const digest of mediaIn(text)) digests.add(digest)
  }
  for await (const items of run.items()) for (const { input } of items) if (input !== null) find(input)
  for await (const responses of run.responses())
    for (const { body } of responses) if (body.includes('"transcript":')) find(body)
  return [...digests].sort()
}

/** A medium's name in a bundle, as it is in a store. */
export const mediumName = (digest: MediaDigest): string => `media/${digest.slice(7, 9)}/${digest.slice(9)}`

/** The inverse of {@link mediumName}. @returns undefined where the name is none */
export function mediumDigest(name: string): MediaDigest | undefined {
  const match = /^media\/([0-9a-f]{2})\/([0-9a-f]{62})$/.exec(name)
  return match === null ? undefined : parseDigest(`sha256:${match[1] ?? ''}${match[2] ?? ''}`)
}
