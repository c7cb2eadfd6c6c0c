import { open } from 'node:fs/promises'
import { z } from 'zod'
import { RecentMap } from '../../../base/collections/recent-map.js'
import { pictureHeadLength, pictureSize } from '../../../base/media/picture-size.js'
import { canonicalJson } from '../../../base/values/canonical-json.js'
import { present } from '../../../base/values/present.js'
import { without } from '../../../base/values/without.js'
import { parseDigest, type MediaDigest } from '../../../cache/digest.js'
import type { JsonObject, MediaPart, Run } from '../../../cache/records.js'
import type { OpenedRun, Sample, Store } from '../../../cache/store.js'
import { frameArgs, frameFormat } from '../../../stages/model/backends/frames/frame-arguments.js'
import { derivedName } from '../../model/derived-media.js'
import type { ManifestDoc, ManifestMedium, MediaManifest, ShownFrame, ManifestFile } from './manifest.js'

/** The maximum number of media whose description is kept, because many docs may show the same one. */
const mostRemembered = 10_000

const argumentsOfFrames = z.object(frameArgs)

const derived = z.object({
  media: z.array(z.string().transform(text => parseDigest<'media'>(text))),
  about: z.object({
    seconds: z.array(z.number()),
    places: z.array(z.number()),
    indices: z.array(z.number()).optional(),
  }),
})

/** Reads which media each doc of a run showed, and which frames of videos were sent. Nothing is decoded. */
export async function readMediaManifest(
  store: Pick<Store, 'judgements' | 'media' | 'values'>,
  { run, judgement }: OpenedRun,
): Promise<MediaManifest> {
  const describe = makeDescriber(store, readRules(run))
  const docs: ManifestDoc[] = []
  for await (const sample of store.judgements.samples(run, judgement)) {
    const media: ManifestMedium[] = []
    for (const part of listParts(sample)) media.push(await describe(part))
    if (media.length > 0) docs.push({ task: run.asked.tasks[sample.task]?.name ?? '', doc: sample.id, media })
  }
  return { format: 1, run: run.name, docs }
}

/** The rules by which the run's videos became frames; undefined if they were sent whole. */
function readRules({ asked }: Run): JsonObject | undefined {
  const { success, data } = argumentsOfFrames.safeParse(asked.model.args)
  const format = success ? frameFormat(data) : undefined
  return format === undefined ? undefined : present(without(format, 'format'))
}

/** Lists the media of a doc in the order in which its requests show them. Further requests add what is new in them. */
function listParts({ items }: Sample): readonly MediaPart[] {
  const seen = new Set<string>()
  return items.flatMap(({ request }) => {
    const parts = (request?.input.messages ?? []).flatMap(({ content }) => content.filter(part => part.type !== 'text'))
    const fresh = parts.filter(part => !seen.has(namePart(part)))
    for (const part of parts) seen.add(namePart(part))
    return fresh
  })
}

const namePart = ({ type, media, derive = {} }: MediaPart): string => canonicalJson({ type, media, derive })

/** Reads the seconds at which the shown part of a medium begins and ends. */
const readClip = (derive: JsonObject | undefined): Readonly<Record<string, number>> | undefined =>
  z.record(z.string(), z.number()).safeParse(derive).data

function makeDescriber(store: Pick<Store, 'media' | 'values'>, rules: JsonObject | undefined) {
  const known = new RecentMap<string, ManifestMedium>(mostRemembered)
  return async (part: MediaPart): Promise<ManifestMedium> => {
    const found = known.get(namePart(part)) ?? (await describePart(part))
    known.set(namePart(part), found)
    return found
  }

  async function describePart({ type, media, derive }: MediaPart): Promise<ManifestMedium> {
    const source = { type, ...(await describeStored(store, media)), ...present({ clip: readClip(derive) }) }
    if (type !== 'video' || rules === undefined) return source
    const how = { frames: { ...rules, ...derive } }
    return { ...source, frames: await readFrames(store, derivedName(media, how)) }
  }
}

async function readFrames(store: Pick<Store, 'media' | 'values'>, name: string): Promise<readonly ShownFrame[] | null> {
  const { data } = derived.safeParse(await store.values.get(name))
  if (data === undefined) return null
  const { seconds, places, indices } = data.about
  const distinct: ManifestFile[] = []
  for (const digest of data.media) distinct.push(await describeStored(store, digest))
  return places.flatMap((place, at) => {
    const frame = distinct[place]
    return frame === undefined ? [] : [{ ...present({ index: indices?.[at] }), seconds: seconds[at] ?? 0, ...frame }]
  })
}

/** A medium that is not in the store, as in an imported run, has only its digest. */
async function describeStored({ media }: Pick<Store, 'media'>, digest: MediaDigest): Promise<ManifestFile> {
  if (!(await media.has(digest))) return { digest }
  await using medium = await media.openFile(digest)
  await using file = await open(medium.path)
  const { size: bytes } = await file.stat()
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(bytes, pictureHeadLength)), 0, undefined, 0)
  return { digest, bytes, ...pictureSize(buffer.subarray(0, bytesRead)) }
}
