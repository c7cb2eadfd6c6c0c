import { open } from 'node:fs/promises'
import { z } from 'zod'
import { RecentMap } from '../../../base/collections/recent-map.js'
import { pictureHeadLength, pictureSize } from '../../../base/media/picture-size.js'
import { canonicalJson } from '../../../base/values/canonical-json.js'
import { present } from '../../../base/values/present.js'
import { without } from '../../../base/values/without.js'
import { parseDigest, type MediaDigest } from '../../../cache/digest.js'
import type { Input, JsonObject, MediaPart, ModelIdentity } from '../../../cache/records.js'
import type { OpenedRun, Store } from '../../../cache/store.js'
import {
  type AudioInVideo,
  audioInVideoArg,
  planSound,
  soundRules,
} from '../../../stages/model/backends/frames/audio-in-video.js'
import { frameArgs, frameFormat } from '../../../stages/model/backends/frames/frame-arguments.js'
import { derivedName } from '../../model/derived-media.js'
import type { ManifestDoc, ManifestMedium, MediaManifest, ShownFrame, ManifestFile, ShownSound } from './manifest.js'

/** The maximum number of remembered media. Many docs may show the same medium. */
const mostRemembered = 10_000

const argumentsOfFrames = z.object({ ...frameArgs, audio_in_video: audioInVideoArg })

const derivedSounds = z.object({
  media: z.array(z.string().transform(text => parseDigest<'media'>(text))),
  about: z.object({ seconds: z.array(z.number()) }),
})

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
  const describe = makeDescriber(store, run.asked.model)
  const docs: ManifestDoc[] = []
  for await (const sample of store.judgements.samples(run, judgement)) {
    const media: ManifestMedium[] = []
    const inputs = sample.items.flatMap(({ request }) => request?.input ?? [])
    for (const part of listShownMedia(inputs)) media.push(await describe(part))
    if (media.length > 0) docs.push({ task: run.asked.tasks[sample.task]?.name ?? '', doc: sample.id, media })
  }
  return { format: 1, run: run.name, docs }
}

interface ShowingRules {
  /** The frame options for videos. Absent if videos are sent whole, with their sound. */
  readonly frames?: JsonObject
  readonly audio: AudioInVideo
}

/** Reads the options by which videos are sent. Undefined if videos are sent as they are. */
function readRules({ args }: ModelIdentity): ShowingRules | undefined {
  const { success, data } = argumentsOfFrames.safeParse(args)
  const format = success ? frameFormat(data) : undefined
  if (data === undefined || (format === undefined && data.audio_in_video === 'none')) return undefined
  return { ...(format && { frames: present(without(format, 'format')) }), audio: data.audio_in_video }
}

/** Lists the media of a doc's requests in order, each once. */
export function listShownMedia(inputs: readonly Input[]): readonly MediaPart[] {
  const names = new Set<string>()
  return inputs.flatMap(({ messages }) => {
    const parts = messages.flatMap(({ content }) => content.filter(part => part.type !== 'text'))
    const fresh = parts.filter(part => !names.has(namePart(part)))
    for (const part of parts) names.add(namePart(part))
    return fresh
  })
}

const namePart = ({ type, media, derive = {} }: MediaPart): string => canonicalJson({ type, media, derive })

/** Reads the seconds at which the shown part of a medium begins and ends. */
const readClip = (derive: JsonObject | undefined): Readonly<Record<string, number>> | undefined =>
  z.record(z.string(), z.number()).safeParse(derive).data

/** Makes the function that describes a medium as a model is shown it. */
export function makeDescriber(
  store: Pick<Store, 'media' | 'values'>,
  model: ModelIdentity,
): (part: MediaPart) => Promise<ManifestMedium> {
  const rules = readRules(model)
  const mediaByName = new RecentMap<string, ManifestMedium>(mostRemembered)
  return async (part: MediaPart): Promise<ManifestMedium> => {
    const medium = mediaByName.get(namePart(part)) ?? (await describePart(part))
    mediaByName.set(namePart(part), medium)
    return medium
  }

  async function describePart({ type, media, derive }: MediaPart): Promise<ManifestMedium> {
    const clip = readClip(derive)
    const source = { type, ...(await describeStored(store, media)), ...present({ clip }) }
    if (type !== 'video' || rules === undefined) return source
    if (rules.frames === undefined) {
      const sound = soundRules(planSound('after', { clip: clip ?? {}, frames: [] }))
      return { ...source, sounds: await readSounds(store, derivedName(media, sound)) }
    }
    const how = { frames: { ...rules.frames, ...derive } }
    const frames = await readFrames(store, derivedName(media, how))
    if (rules.audio === 'none') return { ...source, frames }
    const sound = frames && soundRules(planSound(rules.audio, { clip: clip ?? {}, frames }))
    return { ...source, frames, sounds: sound && (await readSounds(store, derivedName(media, sound))) }
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

async function readSounds(store: Pick<Store, 'media' | 'values'>, name: string): Promise<readonly ShownSound[] | null> {
  const { data } = derivedSounds.safeParse(await store.values.get(name))
  if (data === undefined) return null
  const sounds: ShownSound[] = []
  for (const [piece, digest] of data.media.entries())
    sounds.push({ seconds: data.about.seconds[piece] ?? 0, ...(await describeStored(store, digest)) })
  return sounds
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
