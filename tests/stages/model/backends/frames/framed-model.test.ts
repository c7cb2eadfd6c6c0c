import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sniffMediaType } from '../../../../../base/media/media-type.js'
import { sha256 } from '../../../../../cache/digest.js'
import type { ContentPart } from '../../../../../cache/records.js'
import { showingFrames } from '../../../../../stages/model/backends/frames/showing-frames.js'
import { AttemptError, type Model } from '../../../../../stages/model/model.js'
import { contextOf } from '../../../../support/backend-client.js'
import { framed, frameFormat as format, greyVideo, hasFfmpeg } from '../../../../support/framed-videos.js'
import { goldenRows } from '../../../../support/golden.js'
import { isoBox } from '../../../../support/iso-media.js'
import { temporaryFolder } from '../../../../support/store.js'

const decoding = { decode_timeout: 600, decode_memory_mb: 2048, decode_max_pixels: 36_000_000 }

interface TimestampRow {
  readonly kind: string
  readonly input: { readonly frames_indices: readonly number[]; readonly fps: number }
  readonly expected: readonly number[]
}

const timestampRows = goldenRows<TimestampRow>('tasks/machinery.jsonl.gz')
describe.skipIf(!hasFfmpeg)('a video as frames (needs the system package ffmpeg)', () => {
  test('follow their times, and their number is even', async () => {
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

  test('have times from the file if the rate varies, or index ÷ rate if requested', async () => {
    // Ten frames at 5 a second, the last five of them three times as far apart.
    const slower = ['-vf', 'setpts=if(lt(N\\,5)\\,N\\,3*N-10)/5/TB', '-vsync', 'vfr', '-c:v', 'ffv1', '-f', 'matroska']
    const bytes = await greyVideo(undefined, slower)
    const timesOf = async (times: Pick<typeof format, 'times'>): Promise<readonly string[]> => {
      const { ask, add } = await framed({ ...format, nframes: 4, ...times })
      const shown = await ask([{ type: 'video', media: await add(bytes) }])
      return shown.flatMap(part => (part.type === 'text' ? [part.text] : []))
    }
    expect(await timesOf({ times: 'pts' })).toEqual(['0.0', '0.6', '1.6', '3.4'].map(time => `<${time} seconds>`))
    expect(await timesOf({})).not.toContain('<3.4 seconds>')
  })

  test('have the times of lmms-eval for Qwen3-VL, on all of its golden rows', async () => {
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
  ])('are found in %s as in any other container', async (_, container) => {
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

  test('of an Ogg video are the same each time', async () => {
    const bytes = await greyVideo({ frames: 10, rate: 25 }, ['-c:v', 'libtheora', '-q:v', '10', '-f', 'ogg'])
    const seen = new Set<string>()
    for (let time = 0; time < 8; time++) {
      const { ask, add } = await framed(format)
      seen.add(JSON.stringify(await ask([{ type: 'video', media: await add(bytes) }])))
    }
    expect(seen.size).toBe(1)
  })

  test('frames are counted on where pictures change their size on the way', async () => {
    const { ask, add, greyOf } = await framed(format)
    const part = (more: readonly string[]) =>
      greyVideo(undefined, [...more, '-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-f', 'mpegts'])
    const parts = [await part([]), await part(['-vf', 'scale=96:96', '-output_ts_offset', '2'])]
    const shown = await ask([{ type: 'video', media: await add(Buffer.concat(parts)) }])
    const greys = await Promise.all(shown.filter(({ type }) => type === 'image').map(greyOf))
    // Frames 0, 10 and 19 of 20, and the last one again.
    for (const [index, wanted] of [20, 20, 200, 200].entries())
      expect(Math.abs((greys[index] ?? 0) - wanted)).toBeLessThan(6)
  })

  test('a cover picture that precedes the video in its file is not shown', async () => {
    const { ask, add, greyOf } = await framed(format)
    const video = Buffer.from(
      await greyVideo(undefined, ['-c:v', 'mpeg4', '-q:v', '1', '-pix_fmt', 'yuv420p', '-f', 'mp4']),
    )
    const cover = await sharp({ create: { width: 96, height: 96, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const media = await add(withCover(video, cover))
    const shown = await ask([{ type: 'video', media }])
    const greys = await Promise.all(shown.filter(({ type }) => type === 'image').map(greyOf))
    for (const [index, wanted] of [20, 100, 200, 200].entries())
      expect(Math.abs((greys[index] ?? 0) - wanted)).toBeLessThan(6)
  })

  test('without times are pictures alone, and a clip shows only its own', async () => {
    const { ask, add, greyOf } = await framed({ ...format, format: 'openai', nframes: 2 })
    const media = await add(await greyVideo())
    const shown = await ask([{ type: 'video', media, derive: { start: 1, end: 1.4 } }])
    expect(shown.map(({ type }) => type)).toEqual(['image', 'image'])
    expect(Math.abs((await greyOf(shown[0])) - 120)).toBeLessThan(4)
    expect(Math.abs((await greyOf(shown[1])) - 160)).toBeLessThan(4)
  })

  test('are announced with their number and size in one note', async () => {
    const notes: string[] = []
    const inner: Model = { answer: () => Promise.resolve({ body: { text: '', finishReason: 'stop' } }) }
    const args = {
      message_format: 'openai',
      nframes: 8,
      max_frames: 768,
      min_pixels: 784,
      max_pixels: 602_112,
      ...decoding,
    } as const
    const model = await showingFrames(inner, args, { ...contextOf({}), note: text => notes.push(text) })
    const content: readonly ContentPart[] = [{ type: 'video', media: sha256<'media'>('a video') }]
    const input = { type: 'generate_until' as const, messages: [{ role: 'user' as const, content }] }
    // There is no such video, but the note comes before the lookup.
    await model.answer({ input, generation: {}, sample: 0 }, new AbortController().signal).catch(() => undefined)
    expect(notes).toEqual(['of a video 8 frames are sent, evenly spaced, each of 784 to 602112 pixels'])
  })

  test('are extracted once, even for a later process', async () => {
    const dir = await temporaryFolder()
    const first = await framed(format, { dir })
    const media = await first.add(await greyVideo())
    const part: ContentPart = { type: 'video', media }
    const shown = await first.ask([part, part])
    expect(await first.ask([part, part])).toEqual(shown)
    expect(first.made()).toBe(1)
    const later = await framed(format, { dir })
    expect(await later.ask([part, part])).toEqual(shown)
    expect(later.made()).toBe(0)
  })

  test('of a file that is not a video fail its docs with the reason', async () => {
    const { ask, add } = await framed(format)
    const media = await add(Buffer.from('\0\0\0\x18ftypisom and no video'))
    const error: unknown = await ask([{ type: 'video', media }]).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(AttemptError)
    expect(error).toMatchObject({ class: 'media', isRetryable: false })
    expect(String(error)).toMatch(/the video can't be taken apart: .*Invalid data/)
  })
})

/** Puts a cover picture before the tracks of an MP4 whose index is at its end, as mutagen does. */
function withCover(mp4: Buffer, cover: Buffer): Buffer {
  const at = mp4.indexOf('moov', 0, 'latin1') - 4
  const data = isoBox('data', Buffer.from([0, 0, 0, 14, 0, 0, 0, 0]), cover)
  const handler = isoBox('hdlr', Buffer.alloc(8), 'mdirappl', Buffer.alloc(9))
  const tags = isoBox('udta', isoBox('meta', Buffer.alloc(4), handler, isoBox('ilst', isoBox('covr', data))))
  return Buffer.concat([mp4.subarray(0, at), isoBox('moov', tags, mp4.subarray(at + 8))])
}

test('reports a missing ffmpeg before the first request', async () => {
  const path = process.env['PATH']
  process.env['PATH'] = await temporaryFolder()
  onTestFinished(() => void (process.env['PATH'] = path))
  await expect(framed(format)).rejects.toThrow(
    /ffmpeg does, and it is not installed here\. Install it \(apt-get install ffmpeg\)/,
  )
})

test('are passed by position to programs that replace ffmpeg', async () => {
  const folder = await temporaryFolder()
  const log = join(folder, 'log')
  const probed = 'stream|width=64|height=64|avg_frame_rate=5/1|nb_read_packets=10'
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
  const shown = await ask([{ type: 'video', media: await add(Buffer.from('\0\0\0\x18ftypisom')) }])
  expect(shown).toEqual(Array.from({ length: 3 }, () => ({ type: 'image', media: sha256<'media'>(sha256('a frame')) })))
  expect(await readFile(log, 'utf8')).toContain("select='eq(n,0)+eq(n,4)+eq(n,9)',settb=1/25,setpts=N,scale=64:64")
})
