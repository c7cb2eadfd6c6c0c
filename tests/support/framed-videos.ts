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

interface Framing {
  readonly dir?: string
  readonly limits?: Omit<FrameLimits, 'timeArgument'> & Partial<FrameLimits>
  readonly signal?: AbortSignal
}

export interface FramedScene {
  readonly ask: (parts: readonly ContentPart[]) => Promise<readonly ContentPart[]>
  readonly add: (bytes: Uint8Array) => Promise<MediaDigest>
  readonly greyOf: (part: ContentPart | undefined) => Promise<number>
  /** How many videos were taken apart. */
  readonly made: () => number
}

/** A model whose answer is what it is shown, through frames that a store keeps. */
export async function framed(
  rules: FrameFormat,
  { dir, limits = defaultLimits, signal = new AbortController().signal }: Framing = {},
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
  const context = {
    ...contextOf({}),
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
    { format: rules, limits: { timeArgument: 'decode_timeout', ...limits } },
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
  }
}
