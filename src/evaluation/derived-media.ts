import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { canonicalJson } from '../../base/values/canonical-json.js'
import { parseDigest, sha256, type MediaDigest } from '../../cache/digest.js'
import type { JsonObject } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { BackendContext, DerivedMedia } from '../../stages/model/define-backend.js'

/** The number of media made at the same time; each takes a processor. */
const atOnce = 2

const remembered = z.object({
  media: z.array(z.string().transform(text => parseDigest<'media'>(text))),
  about: z.record(z.string(), z.json()),
})

/** Makes media from others, such as frames of a video, and stores them. Each is made once. */
export function derivedMedia(store: Pick<Store, 'media' | 'values'>): NonNullable<BackendContext['deriveMedia']> {
  const running = new Map<string, Promise<DerivedMedia>>()
  const lanes = Array.from({ length: atOnce }, () => Promise.resolve())
  let turn = 0
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const lane = turn++ % atOnce
    const done = (lanes[lane] ?? Promise.resolve()).then(work)
    lanes[lane] = done.then(
      () => undefined,
      () => undefined,
    )
    return done
  }
  return (source, how, make) => {
    const name = derivedName(source, how)
    const found = running.get(name)
    if (found !== undefined) return found
    const media = (async () => (await known(store, name)) ?? (await inTurn(() => keep(store, name, make))))()
    running.set(name, media)
    media.catch(() => running.delete(name))
    return media
  }
}

/** The name of the value that holds what was derived from a medium in this way. */
export const derivedName = (source: MediaDigest, how: JsonObject): string =>
  `derived ${sha256<'media'>(canonicalJson({ source, how }))}`

async function known(store: Parameters<typeof derivedMedia>[0], name: string): Promise<DerivedMedia | undefined> {
  const found = remembered.safeParse(await store.values.get(name)).data
  if (found === undefined) return undefined
  for (const digest of found.media) if (!(await store.media.has(digest))) return undefined
  return found
}

async function keep(
  store: Parameters<typeof derivedMedia>[0],
  name: string,
  make: Parameters<NonNullable<BackendContext['deriveMedia']>>[2],
): Promise<DerivedMedia> {
  const folder = await mkdtemp(join(tmpdir(), 'pipeline-frames-'))
  try {
    const { files, about } = await make(folder)
    const media: MediaDigest[] = []
    for (const file of files) media.push((await store.media.addBytes(await readFile(file))).digest)
    await store.values.set(name, { media, about })
    return { media, about }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
