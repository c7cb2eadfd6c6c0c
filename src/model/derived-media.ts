import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'
import { Lanes } from '../../base/collections/lanes.js'
import { SharedWork } from '../../base/collections/shared-work.js'
import { withTemporaryFolder } from '../../base/files/temporary-folder.js'
import { canonicalJson } from '../../base/values/canonical-json.js'
import { parseDigest, sha256, type MediaDigest } from '../../cache/digest.js'
import type { JsonObject } from '../../cache/records.js'
import type { MediumInfo, Store } from '../../cache/store.js'
import type { BackendContext, DerivedMedia, MakeMedia } from '../../stages/model/define-backend.js'

/** The number of media made at the same time; each takes a processor. */
const atOnce = 2

const remembered = z.object({
  media: z.array(z.string().transform(text => parseDigest<'media'>(text))),
  about: z.record(z.string(), z.json()),
})

/**
 * Derives media from others, such as frames of a video, and stores them. Concurrent callers share the work, which stops when all of them have left.
 */
export function derivedMedia(store: Pick<Store, 'media' | 'values'>): NonNullable<BackendContext['deriveMedia']> {
  const running = new Map<string, SharedWork<DerivedMedia>>()
  const lanes = new Lanes(atOnce)
  return async (source, how, make, signal) => {
    signal.throwIfAborted()
    const name = derivedName(source, how)
    const work =
      running.get(name) ??
      new SharedWork(
        async stopped =>
          (await findDerived(store, name)) ??
          (await lanes.run(() => keep(store, { name, source }, make, stopped), stopped)),
        () => void running.delete(name),
      )
    running.set(name, work)
    return work.join(signal)
  }
}

/** Names the store's value with the media derived from a source. */
export const derivedName = (source: MediaDigest, how: JsonObject): string =>
  `derived ${sha256<'media'>(canonicalJson({ source, how }))}`

async function findDerived(store: Parameters<typeof derivedMedia>[0], name: string): Promise<DerivedMedia | undefined> {
  const derived = remembered.safeParse(await store.values.get(name)).data
  if (derived === undefined) return undefined
  for (const digest of derived.media) if (!(await store.media.has(digest))) return undefined
  return derived
}

/** The maximum size of a file that is read at once, in bytes. A larger file is read in pieces, and remembered by path. */
const largestWhole = 16 * 2 ** 20

async function addDerived({ media }: Pick<Store, 'media'>, file: string): Promise<MediumInfo> {
  const { size } = await stat(file)
  return size > largestWhole ? media.addFile(file) : media.addBytes(await readFile(file))
}

async function keep(
  store: Parameters<typeof derivedMedia>[0],
  { name, source }: { readonly name: string; readonly source: MediaDigest },
  make: MakeMedia,
  stopped: AbortSignal,
): Promise<DerivedMedia> {
  return withTemporaryFolder('pipeline-frames', async folder => {
    const { files, about } = await make(folder, stopped)
    const media: MediaDigest[] = []
    for (const file of files) media.push((await addDerived(store, file)).digest)
    // A garbage collection keeps derived media as long as their source.
    await store.values.set(name, { media, about, source })
    return { media, about }
  })
}
