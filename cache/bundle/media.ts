import { isObject } from '../../base/values/canonical-json.js'
import { valueAt } from '../../base/values/json-pointer.js'
import { parseDigest, type MediaDigest } from '../digest.js'
import type { JudgeRecord } from '../records.js'
import type { PortableRun } from './portable.js'

// Quotation marks inside a preimage's texts are escaped, so only a field with this name can match.
const mediaField = /"media":"(sha256:[0-9a-f]{64})"/g

/** Finds the media that the text of an input or a conversation refers to. */
export const mediaIn = (text: string): readonly MediaDigest[] =>
  Array.from(text.matchAll(mediaField), ([, digest = '']) => parseDigest<'media'>(digest))

/** Finds the media that the text of a judge's record names, which it does only if scoring code reads them. */
function mediaInRecord(text: string): readonly MediaDigest[] {
  if (!text.includes('"media":[')) return []
  const { doc, media = [] } = JSON.parse(text) as JudgeRecord
  return media.flatMap(location => {
    const part = valueAt(doc, location)
    return isObject(part) && typeof part['media'] === 'string' ? [parseDigest<'media'>(part['media'])] : []
  })
}

/** Lists the media of a run's inputs, answers, conversations and scoring, sorted. */
export async function listRunMedia(
  run: Pick<PortableRun, 'items' | 'responses' | 'judgements'>,
): Promise<readonly MediaDigest[]> {
  const digests = new Set<MediaDigest>()
  const add = (newDigests: readonly MediaDigest[]): void => {
    for (const digest of newDigests) digests.add(digest)
  }
  const find = (text: string): void => add(mediaIn(text))
  for await (const items of run.items())
    for (const { input, record } of items) {
      if (input !== null) find(input)
      add(mediaInRecord(record))
    }
  for (const { verdicts } of run.judgements)
    for await (const rows of verdicts())
      for (const { revision } of rows) if (revision !== null) add(mediaInRecord(revision))
  for await (const responses of run.responses())
    for (const { body } of responses) if (body.includes('"media":"')) find(body)
  return [...digests].sort()
}

/** The path of a medium in a bundle, which equals its path in a store. */
export const mediumName = (digest: MediaDigest): string => `media/${digest.slice(7, 9)}/${digest.slice(9)}`

/** The inverse of {@link mediumName}. @returns undefined if the name is not a medium's */
export function mediumDigest(name: string): MediaDigest | undefined {
  const match = /^media\/([0-9a-f]{2})\/([0-9a-f]{62})$/.exec(name)
  return match === null ? undefined : parseDigest(`sha256:${match[1] ?? ''}${match[2] ?? ''}`)
}
