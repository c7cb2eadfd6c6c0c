import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sniffMediaType } from '../../../../../base/media/media-type.js'
import { sha256, type MediaDigest } from '../../../../../cache/digest.js'
import { openStore } from '../../../../../cache/open.js'
import type { ContentPart, MediaPart } from '../../../../../cache/records.js'
import { derivedMedia } from '../../../../../src/evaluation/derived-media.js'
import type { FrameFormat } from '../../../../../stages/model/backends/frames/frame-arguments.js'
import { showingFrames } from '../../../../../stages/model/backends/frames/showing-frames.js'
import { framedModel } from '../../../../../stages/model/backends/frames/framed-model.js'
import { AttemptError, type Model } from '../../../../../stages/model/model.js'
import { contextOf } from '../../../../support/backend-client.js'
import { goldenRows } from '../../../../support/golden.js'
import { temporaryFolder } from '../../../../support/store.js'

interface TimestampRow {
  readonly kind: string
  readonly input: { readonly frames_indices: readonly number[]; readonly fps: number }
  readonly expected: readonly number[]
}

const timestampRows = goldenRows<TimestampRow>('tasks/machinery.jsonl.gz')
const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0
const format: FrameFormat = {
  format: 'qwen3_vl',
  nframes: 3,
  fps: undefined,
  max_frames: 768,
  min_pixels: 784,
  max_pixels: 151_200,
  factor: 32,
}

/** Ten frames of 64 by 64 pixels at 5 frames a second, or others; the place of each is in its grey: 20 more for each. */
async function greyVideo(
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

interface Asked {
  readonly ask: (parts: readonly ContentPart[]) => Promise<readonly ContentPart[]>
  readonly add: (bytes: Uint8Array) => Promise<MediaDigest>
  readonly greyOf: (part: ContentPart | undefined) => Promise<number>
  /** How many videos were taken apart. */
  readonly made: () => number
}

/** A model whose answer is what it is shown, through frames that a store keeps. */
async function framed(rules: FrameFormat, dir?: string): Promise<Asked> {
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
    mediaPath: (digest: MediaDigest) => store.media.path(digest),
    deriveMedia: (...[source, how, make]: Parameters<typeof derive>) =>
      derive(source, how, folder => {
        made += 1
        return make(folder)
      }),
  }
  const model = await framedModel(inner, rules, context)
  return {
    async ask(content) {
      const messages = [{ role: 'user' as const, content }]
      const request = { input: { type: 'generate_until' as const, messages }, generation: {}, sample: 0 }
      await model.answer(request, new AbortController().signal)
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

describe.skipIf(!hasFfmpeg)('a video as frames (needs the system package ffmpeg)', () => {
  test('each comes after its time, and their number is even', async () => {
    const { ask, add, greyOf } = await framed(format)
    const media = await add(await greyVideo())
    const shown = await ask([
      { type: 'text', text: 'before' },
      { type: 'video', media },
      { type: 'text', text: 'after' },
    ])
    expect(shown.map(part => (part.type === 'text' ? part.text : part.type))).toEqual([
      'before',
      ...['<0.0 seconds>', 'image', '<0.8 seconds>', 'image', '<1.8 seconds>', 'image', '<1.8 seconds>', 'image'],
      'after',
    ])
    const greys = await Promise.all([2, 4, 6, 8].map(index => greyOf(shown[index])))
    for (const [index, wanted] of [20, 100, 200, 200].entries())
      expect(Math.abs((greys[index] ?? 0) - wanted)).toBeLessThan(4)
  })

  test('their times are those of lmms-eval for Qwen3-VL, on all of its golden rows', async () => {
    const own = timestampRows.filter(({ kind }) => kind === 'qwen3_timestamps')
    expect(own).toHaveLength(2)
    for (const { input, expected } of own) {
      const { frames_indices: places, fps } = input
      const { ask, add } = await framed({ ...format, nframes: places.length })
      const media = await add(await greyVideo({ frames: places.at(-1)! + 1, rate: fps }))
      const texts = (await ask([{ type: 'video', media }])).flatMap(part => (part.type === 'text' ? [part.text] : []))
      expect(texts).toEqual(expected.map(seconds => `<${seconds.toFixed(1)} seconds>`))
    }
  })

  test.each([
    ['MPEG', ['-c:v', 'mpeg1video', '-q:v', '1', '-f', 'mpeg']],
    ['MPEG-TS', ['-c:v', 'mpeg2video', '-q:v', '1', '-f', 'mpegts']],
    ['Flash', ['-c:v', 'flv1', '-q:v', '1', '-f', 'flv']],
    ['Windows Media', ['-c:v', 'wmv2', '-q:v', '1', '-f', 'asf']],
    ['Ogg', ['-c:v', 'libtheora', '-q:v', '10', '-f', 'ogg']],
  ])('they are found in %s as in any other container', async (_, container) => {
    const { ask, add, greyOf } = await framed(format)
    const bytes = await greyVideo({ frames: 10, rate: 25 }, container)
    expect(sniffMediaType(bytes)?.kind).toBe('video')
    const shown = await ask([{ type: 'video', media: await add(bytes) }])
    expect(shown.flatMap(part => (part.type === 'text' ? [part.text] : []))).toEqual(
      [0, 0.16, 0.36, 0.36].map(seconds => `<${seconds.toFixed(1)} seconds>`),
    )
    const greys = await Promise.all([1, 3, 5].map(index => greyOf(shown[index])))
    for (const [index, wanted] of [20, 100, 200].entries())
      expect(Math.abs((greys[index] ?? 0) - wanted)).toBeLessThan(20)
  })

  test('the pictures of an Ogg video are the same each time', async () => {
    const bytes = await greyVideo({ frames: 10, rate: 25 }, ['-c:v', 'libtheora', '-q:v', '10', '-f', 'ogg'])
    const seen = new Set<string>()
    for (let time = 0; time < 20; time++) {
      const { ask, add } = await framed(format)
      seen.add(JSON.stringify(await ask([{ type: 'video', media: await add(bytes) }])))
    }
    expect(seen.size).toBe(1)
  })

  test('without times they are pictures alone; a clip shows its own', async () => {
    const { ask, add, greyOf } = await framed({ ...format, format: 'openai', nframes: 2 })
    const media = await add(await greyVideo())
    const shown = await ask([{ type: 'video', media, derive: { start: 1, end: 1.4 } }])
    expect(shown.map(({ type }) => type)).toEqual(['image', 'image'])
    expect(Math.abs((await greyOf(shown[0])) - 120)).toBeLessThan(4)
    expect(Math.abs((await greyOf(shown[1])) - 160)).toBeLessThan(4)
  })

  test('a note says how many are sent, and how large', async () => {
    const notes: string[] = []
    const inner: Model = { answer: () => Promise.resolve({ body: { text: '', finishReason: 'stop' } }) }
    const args = {
      message_format: 'openai',
      nframes: 8,
      max_frames: 768,
      min_pixels: 784,
      max_pixels: 602_112,
    } as const
    const model = await showingFrames(inner, args, { ...contextOf({}), note: text => notes.push(text) })
    const content: readonly ContentPart[] = [{ type: 'video', media: sha256<'media'>('a video') }]
    const input = { type: 'generate_until' as const, messages: [{ role: 'user' as const, content }] }
    // There is no such video; it is said before it is looked for.
    await model.answer({ input, generation: {}, sample: 0 }, new AbortController().signal).catch(() => undefined)
    expect(notes).toEqual(['of a video 8 frames are sent, evenly spaced, each of 784 to 602112 pixels'])
  })

  test('they are made once, also for a later process', async () => {
    const dir = await temporaryFolder()
    const first = await framed(format, dir)
    const media = await first.add(await greyVideo())
    const part: ContentPart = { type: 'video', media }
    const shown = await first.ask([part, part])
    expect(await first.ask([part, part])).toEqual(shown)
    expect(first.made()).toBe(1)
    const later = await framed(format, dir)
    expect(await later.ask([part, part])).toEqual(shown)
    expect(later.made()).toBe(0)
  })

  test('what is no video fails its docs, with the reason', async () => {
    const { ask, add } = await framed(format)
    const media = await add(Buffer.from('no video at all'))
    const error: unknown = await ask([{ type: 'video', media }]).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(AttemptError)
    expect(error).toMatchObject({ class: 'media', isRetryable: false })
    expect(String(error)).toMatch(/the video can't be taken apart: ffprobe: .*Invalid data/)
  })
})

test('where ffmpeg is not installed, that is said before anything is asked', async () => {
  const path = process.env['PATH']
  process.env['PATH'] = await temporaryFolder()
  onTestFinished(() => void (process.env['PATH'] = path))
  await expect(framed(format)).rejects.toThrow(
    /ffmpeg does, and it is not installed here\. Install it \(apt-get install ffmpeg\)/,
  )
})

test('programs that stand for ffmpeg are told the places of the frames', async () => {
  const folder = await temporaryFolder()
  const log = join(folder, 'log')
  const probed = JSON.stringify({ streams: [{ width: 64, height: 64, avg_frame_rate: '5/1', nb_read_packets: '10' }] })
  await writeFile(join(folder, 'frame.png'), sha256('a frame'))
  const run = (body: string) => `#!/bin/sh\necho "$0 $@" >> ${log}\n[ "$1" = -version ] && exit 0\n${body}\n`
  const last = 'for last; do :; done; dir=$(dirname "$last")'
  const copies = `for n in 1 2 3; do cp ${join(folder, 'frame.png')} "$dir/00000$n.png"; done`
  await writeFile(join(folder, 'ffprobe'), run(`echo '${probed}'`), { mode: 0o755 })
  await writeFile(join(folder, 'ffmpeg'), run(`${last}\n${copies}`), { mode: 0o755 })
  const path = process.env['PATH']
  process.env['PATH'] = `${folder}:${path}`
  onTestFinished(() => void (process.env['PATH'] = path))
  const { ask, add } = await framed({ ...format, format: 'openai' })
  const shown = await ask([{ type: 'video', media: await add(Buffer.from('any')) }])
  expect(shown).toEqual(Array.from({ length: 3 }, () => ({ type: 'image', media: sha256<'media'>(sha256('a frame')) })))
  expect(await readFile(log, 'utf8')).toContain("select='eq(n,0)+eq(n,4)+eq(n,9)',settb=1/25,setpts=N,scale=64:64")
})
