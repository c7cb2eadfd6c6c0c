import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sniffMediaType } from '../../base/media/media-type.js'
import { pictureSize } from '../../base/media/picture-size.js'
import { defaultLimits } from '../../base/processes/ffmpeg/decoder-input.js'
import type { ContentPart, MediaPart } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { derivedMedia } from '../../src/model/derived-media.js'
import { MediumError } from '../../stages/input/media/medium-error.js'
import { openMediaIntake } from '../../stages/input/media/media-intake.js'
import { convertingModel } from '../../stages/model/backends/conversion/converted-requests.js'
import { framedModel } from '../../stages/model/backends/frames/framed-model.js'
import { decodePicture } from '../../stages/model/backends/onnx-vlm/picture.js'
import { AttemptError, type Model } from '../../stages/model/model.js'
import { contextOf } from './backend-client.js'
import { frameFormat, hasFfmpeg } from './framed-videos.js'
import { between } from './seeded.js'

/** A file to change, by its name. */
export interface FuzzedFile {
  readonly name: string
  readonly bytes: Buffer
}

const golden = (folder: string): readonly FuzzedFile[] => {
  const path = join(import.meta.dirname, '../golden', folder)
  return readdirSync(path)
    .filter(name => /\.(png|jpe?g|gif|webp|tiff|bmp|avif)$/.test(name))
    .map(name => ({ name: `${folder}/${name}`, bytes: readFileSync(join(path, name)) }))
}

/** Small pictures of many kinds. */
export const pictureFiles = (): readonly FuzzedFile[] => [...golden('pillow'), ...golden('pillow-rgb')]

const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
xref
0 4
0000000000 65535 f
trailer<</Size 4/Root 1 0 R>>
startxref
170
%%EOF
`

export const documentFiles = (): readonly FuzzedFile[] => [{ name: 'paper.pdf', bytes: Buffer.from(pdf) }]

const containers: Readonly<Record<string, readonly string[]>> = {
  'video.mp4': ['-c:v', 'mpeg4', '-f', 'mp4'],
  'video.mkv': ['-c:v', 'ffv1', '-f', 'matroska'],
  'video.avi': ['-c:v', 'mpeg4', '-f', 'avi'],
  'video.ts': ['-c:v', 'mpeg2video', '-f', 'mpegts'],
  'video.flv': ['-c:v', 'flv1', '-f', 'flv'],
  'sound.wav': ['-c:a', 'pcm_s16le', '-f', 'wav'],
  'sound.flac': ['-c:a', 'flac', '-f', 'flac'],
  'sound.m4a': ['-c:a', 'aac', '-f', 'ipod'],
  'sound.ogg': ['-c:a', 'flac', '-f', 'ogg'],
  'sound.webm': ['-c:a', 'opus', '-strict', '-2', '-f', 'webm'],
  'sound.aiff': ['-c:a', 'pcm_s16be', '-f', 'aiff'],
}

/** Short videos and sounds. There are none without ffmpeg. */
export async function movingFiles(): Promise<readonly FuzzedFile[]> {
  if (!hasFfmpeg) return []
  const folder = await mkdtemp(join(tmpdir(), 'fuzz-'))
  const video = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=5:duration=1']
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:duration=0.2']
  try {
    return Object.entries(containers).map(([name, output]) => {
      const path = join(folder, name)
      const input = name.startsWith('video') ? video : sound
      const { stderr } = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', ...input, ...output, path])
      if (stderr.length > 0) throw new Error(`${name}: ${stderr.toString()}`)
      return { name, bytes: readFileSync(path) }
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Changes a file in one or two ways: bits, bytes, numbers at their limits, cuts, and parts that are moved, repeated or missing. */
export function mutate(bytes: Buffer, random: () => number): Buffer {
  let changed: Buffer = Buffer.from(bytes)
  for (let left = between(random, 1, 2); left > 0 && changed.length > 0; left -= 1)
    changed = mutateOnce(changed, random)
  return changed
}

function mutateOnce(bytes: Buffer, random: () => number): Buffer {
  // Headers decide more than content, but no decoder sees a file whose first bytes are unknown.
  const end = random() < 0.25 ? Math.min(bytes.length, 128) : bytes.length
  const at = between(random, 0, end - 1)
  const length = between(random, 1, 64)
  const [before, part, after] = [bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at + length)]
  const changes: readonly (() => Buffer)[] = [
    () =>
      Buffer.concat([before, Buffer.from([(bytes[at] ?? 0) ^ (1 << between(random, 0, 7))]), bytes.subarray(at + 1)]),
    () => Buffer.concat([before, Buffer.from(part.map(() => between(random, 0, 255))), after]),
    () => Buffer.concat([before, Buffer.alloc(4, random() < 0.5 ? 0xff : 0), bytes.subarray(at + 4)]),
    () => Buffer.concat([before, Buffer.from('7fffffff', 'hex'), bytes.subarray(at + 4)]),
    () => Buffer.from(before),
    () => Buffer.concat([before, after]),
    () => Buffer.concat([before, part, part, after]),
    () => Buffer.concat([after, part, before]),
  ]
  return changes[between(random, 0, changes.length - 1)]?.() ?? bytes
}

/** Tells how a file ended: it was shown, or it failed with the class `media` and this message. */
export type FuzzOutcome = { readonly type: 'works' } | { readonly type: 'media'; readonly message: string }

/**
 * Reads a file as a doc's medium and makes of it what models are sent: pictures in RGB, PNG and as a local model decodes them, sounds as WAV,
 * videos as frames. Decoders get it even if reading it as a medium has failed.
 *
 * @throws whatever is not a failure of the class `media`
 */
export async function tryMedium(store: Store, bytes: Uint8Array): Promise<FuzzOutcome> {
  pictureSize(bytes)
  const files = { locate: () => Promise.resolve(undefined) }
  const intake = await settle(() => openMediaIntake(store.media, files, store.values).add({ bytes }))
  const kind = sniffMediaType(bytes)?.kind
  if (kind === undefined) return intake
  const part: MediaPart = { type: kind, media: (await store.media.addBytes(bytes)).digest }
  const outcomes = [intake]
  for (const use of listUses(store, part)) outcomes.push(await settle(use))
  return outcomes.find(({ type }) => type === 'media') ?? intake
}

async function settle(work: () => Promise<unknown>): Promise<FuzzOutcome> {
  try {
    await work()
    return { type: 'works' }
  } catch (error) {
    if (error instanceof MediumError) return { type: 'media', message: error.message }
    if (error instanceof AttemptError && error.class === 'media') return { type: 'media', message: error.message }
    throw error
  }
}

const sink: Model = { answer: () => Promise.resolve({ body: { text: '', finishReason: 'stop' } }) }

function listUses(store: Store, part: MediaPart): readonly (() => Promise<unknown>)[] {
  const context = {
    ...contextOf({}),
    openMediaFile: (digest: MediaPart['media']) => store.media.openFile(digest),
    deriveMedia: derivedMedia(store),
  }
  const ask = async (model: Model): Promise<void> => {
    const content: readonly ContentPart[] = [part]
    const input = { type: 'generate_until' as const, messages: [{ role: 'user' as const, content }] }
    await model.answer({ input, generation: {}, sample: 0 }, new AbortController().signal)
  }
  const limits = { ...defaultLimits, seconds: 60, memoryMb: 1024, timeArgument: 'decode_timeout' as const }
  if (part.type === 'video') return [async () => ask(await framedModel(sink, { format: frameFormat, limits }, context))]
  if (part.type === 'file') return []
  const forms = part.type === 'image' ? (['lmms', 'converted'] as const) : (['converted'] as const)
  const conversions = forms.map(
    media => () =>
      ask(convertingModel(sink, { api: part.type === 'image' ? 'gemini' : 'the chat server', media }, context)),
  )
  if (part.type !== 'image') return conversions
  const decode = async (): Promise<unknown> => decodePicture(await store.media.read(part.media), 'a picture')
  return [...conversions, decode]
}
