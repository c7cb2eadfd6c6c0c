import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, onTestFinished } from 'vitest'
import { defaultLimits } from '../../base/processes/ffmpeg/decoder-input.js'
import type { MediaDigest } from '../../cache/digest.js'
import { openStore } from '../../cache/open.js'
import type { ContentPart, MediaPart } from '../../cache/records.js'
import { derivedMedia } from '../../src/model/derived-media.js'
import type { AudioInVideo } from '../../stages/model/backends/frames/audio-in-video.js'
import type { FrameFormat, FrameLimits } from '../../stages/model/backends/frames/frame-arguments.js'
import { framedModel } from '../../stages/model/backends/frames/framed-model.js'
import type { Model } from '../../stages/model/model.js'
import { contextOf } from './backend-client.js'
import { temporaryFolder } from './store.js'

export const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0
export const frameFormat: FrameFormat = {
  format: 'qwen3_vl',
  nframes: 3,
  fps: undefined,
  max_frames: 768,
  min_pixels: 784,
  max_pixels: 151_200,
  factor: 32,
}

/** Ten frames of 64 by 64 pixels at 5 frames a second, or others; the place of each is in its grey: 20 more for each. */
export async function greyVideo(
  { frames, rate } = { frames: 10, rate: 5 },
  container: readonly string[] = ['-c:v', 'ffv1', '-f', 'matroska'],
): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'grey-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const source = `nullsrc=size=64x64:rate=${rate}:duration=${frames / rate},format=gray,geq=lum=20*N+20`
  const made = spawnSync('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', '-i', source],
    ...[...container, join(folder, 'video')],
  ])
  expect(made.stderr.toString()).toBe('')
  return readFile(join(folder, 'video'))
}

/** Six seconds at 5 frames a second. A tone sounds in every second of odd number, and none in the others. */
export async function beepingVideo({
  picture = [],
  sound = [],
  container = ['-c:v', 'ffv1', '-c:a', 'flac', '-f', 'matroska'],
}: {
  /** Arguments of ffmpeg before the pictures and before the sound, such as an offset. */
  readonly picture?: readonly string[]
  readonly sound?: readonly string[]
  readonly container?: readonly string[]
} = {}): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'beeping-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const tone = "aevalsrc='0.5*sin(2*PI*440*t)*gte(mod(t,2),1)|0.5*sin(2*PI*440*t)*gte(mod(t,2),1)':s=44100:d=6"
  const pictures = 'nullsrc=size=64x64:rate=5:duration=6,format=gray,geq=lum=8*N'
  const made = spawnSync('ffmpeg', [
    ...['-v', 'error', ...picture, '-f', 'lavfi', '-i', pictures, ...sound, '-f', 'lavfi', '-i', tone],
    ...[...container, join(folder, 'video')],
  ])
  expect(made.stderr.toString()).toBe('')
  return readFile(join(folder, 'video'))
}

interface Framing {
  readonly dir?: string
  readonly limits?: Omit<FrameLimits, 'timeArgument'> & Partial<FrameLimits>
  readonly signal?: AbortSignal
  readonly audio?: AudioInVideo
}

export interface FramedScene {
  readonly ask: (parts: readonly ContentPart[]) => Promise<readonly ContentPart[]>
  readonly add: (bytes: Uint8Array) => Promise<MediaDigest>
  readonly greyOf: (part: ContentPart | undefined) => Promise<number>
  /** How many derivations were made. */
  readonly made: () => number
  /** Reads the bytes of a medium that was shown. */
  readonly read: (part: ContentPart | undefined) => Promise<Buffer>
  readonly notes: readonly string[]
}

/** A model whose answer is what it is shown, through frames that a store keeps. */
export async function framed(
  rules: FrameFormat | undefined,
  { dir, limits = defaultLimits, signal = new AbortController().signal, audio }: Framing = {},
): Promise<FramedScene> {
  const store = await openStore(dir ?? (await temporaryFolder()))
  onTestFinished(() => store.close())
  let shown: readonly ContentPart[] = []
  let made = 0
  const inner: Model = {
    answer: ({ input }) => {
      shown = input.messages.flatMap(({ content }) => content)
      return Promise.resolve({ body: { text: '', finishReason: 'stop' } })
    },
  }
  const derive = derivedMedia(store)
  const notes: string[] = []
  const context = {
    ...contextOf({}),
    noteOnce: (text: string) => {
      if (!notes.includes(text)) notes.push(text)
    },
    openMediaFile: (digest: MediaDigest) => store.media.openFile(digest),
    deriveMedia: (...[source, how, make, waiting]: Parameters<typeof derive>) =>
      derive(
        source,
        how,
        (...given) => {
          made += 1
          return make(...given)
        },
        waiting,
      ),
  }
  const model = await framedModel(
    inner,
    { format: rules, audio, limits: { timeArgument: 'decode_timeout', ...limits } },
    context,
  )
  return {
    async ask(content) {
      const messages = [{ role: 'user' as const, content }]
      const request = { input: { type: 'generate_until' as const, messages }, generation: {}, sample: 0 }
      await model.answer(request, signal)
      return shown
    },
    add: async bytes => (await store.media.addBytes(bytes)).digest,
    async greyOf(part) {
      const { data, info } = await sharp(await store.media.read((part as MediaPart).media))
        .raw()
        .toBuffer({ resolveWithObject: true })
      expect([info.width, info.height]).toEqual([64, 64])
      return data[0] ?? -1
    },
    made: () => made,
    read: async part => Buffer.from(await store.media.read((part as MediaPart).media)),
    notes,
  }
}
