import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { ContentPart } from '../../../../../cache/records.js'
import { joinRecordings } from '../../../../../stages/model/backends/frames/video-facts.js'
import { framed, frameFormat, hasFfmpeg } from '../../../../support/framed-videos.js'
import { temporaryFolder } from '../../../../support/store.js'

/** The left half of each picture shows the number of its frame modulo 64, the right half the rest, in steps of three greys. */
const numbered = "nullsrc=size=64x32:rate=25:duration=8,format=gray,geq=lum='16+3*if(lt(X,32),mod(N,64),floor(N/64))'"
const hevc = (open: 0 | 1) => [
  '-c:v',
  'libx265',
  '-x265-params',
  `log-level=error:keyint=50:min-keyint=50:scenecut=0:open-gop=${open}:qp=4`,
]

function run(args: readonly string[]): void {
  const { status } = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args])
  expect(status).toBe(0)
}

/** A video of 200 frames with a keyframe every 50, without its first packets. */
async function cutVideo(encoder: readonly string[], dropped: number): Promise<Uint8Array> {
  const folder = await temporaryFolder()
  const [whole, cut] = [join(folder, 'whole.mkv'), join(folder, 'cut.mkv')]
  run(['-f', 'lavfi', '-i', numbered, '-pix_fmt', 'yuv420p', ...encoder, whole])
  run(['-copyts', '-i', whole, '-c', 'copy', '-bsf:v', `noise=drop='lt(n,${dropped})'`, cut])
  return readFile(cut)
}

async function numberOf(bytes: Buffer): Promise<number> {
  const { data } = await sharp(bytes).extractChannel(0).raw().toBuffer({ resolveWithObject: true })
  const [low = NaN, high = NaN] = [data[16 * 64 + 8], data[16 * 64 + 56]].map(grey =>
    Math.round(((grey ?? NaN) - 16) / 3),
  )
  return low + 64 * high
}

describe.skipIf(!hasFfmpeg)(
  'a video that begins in the middle of a group of pictures (needs the system package ffmpeg)',
  () => {
    test.each([
      ['HEVC', 20, 50, hevc(0)],
      ['HEVC with open groups', 20, 50, hevc(1)],
      ['HEVC from an open keyframe on', 49, 50, hevc(1)],
      ['H.264', 20, 50, ['-c:v', 'libx264', '-qp', '4', '-g', '50', '-sc_threshold', '0']],
      ['MPEG-2', 20, 24, ['-c:v', 'mpeg2video', '-q:v', '1', '-g', '12', '-bf', '2']],
    ])('is shown from its first keyframe on: %s', async (_, dropped, key, encoder) => {
      const { ask, add, read, notes } = await framed({ ...frameFormat, nframes: 10, times: 'pts' })
      const shown: readonly ContentPart[] = await ask([
        { type: 'video', media: await add(await cutVideo(encoder, dropped)) },
      ])
      const numbers = await Promise.all(
        shown.filter(({ type }) => type === 'image').map(async part => numberOf(await read(part))),
      )
      expect(numbers[0]).toBe(key)
      expect(numbers.at(-1)).toBe(199)
      const seconds = shown.flatMap(part => (part.type === 'text' ? [parseFloat(part.text.slice(1))] : []))
      for (const [place, number] of numbers.entries())
        expect(Math.abs((number - key) / 25 - (seconds[place] ?? NaN))).toBeLessThanOrEqual(0.051)
      expect(notes.length).toBeLessThanOrEqual(1)
    })

    test('has a note if frames are left out, and none otherwise', async () => {
      for (const [dropped, count] of [
        [20, 1],
        [0, 0],
      ] as const) {
        const { ask, add, notes } = await framed({ ...frameFormat, nframes: 4 })
        await ask([{ type: 'video', media: await add(await cutVideo(hevc(0), dropped)) }])
        expect(notes).toHaveLength(count)
      }
    })
  },
)

describe('the times of a file with two recordings', () => {
  test('go on where they jump back, and stay as they are where pictures are only held back', () => {
    const rate = { tick: 1 / 90_000, fps: 25 }
    const first = Array.from({ length: 100 }, (_, index) => 3_600 * index)
    const joined = joinRecordings([...first, ...first], rate)
    expect(joined).toEqual(Array.from({ length: 200 }, (_, index) => 3_600 * index))
    const heldBack = [0, 16, 8, 4, 12, 32, 24].map(index => 3_600 * index)
    expect(joinRecordings(heldBack, rate)).toBe(heldBack)
    const unknown = [NaN, NaN]
    expect(joinRecordings(unknown, rate)).toBe(unknown)
  })

  test.skipIf(!hasFfmpeg)('choose the frames of a clip (needs the system package ffmpeg)', async () => {
    const encoder = ['-c:v', 'libx264', '-qp', '4', '-g', '50', '-sc_threshold', '0']
    const folder = await temporaryFolder()
    const one = join(folder, 'one.ts')
    run(['-f', 'lavfi', '-i', numbered, '-pix_fmt', 'yuv420p', ...encoder, one])
    const bytes = await readFile(one)
    const { ask, add, read } = await framed({ ...frameFormat, nframes: 4, times: 'pts' })
    const media = await add(Buffer.concat([bytes, bytes]))
    const shown = await ask([{ type: 'video', media, derive: { start: 10, end: 12 } }])
    const numbers = await Promise.all(
      shown.filter(({ type }) => type === 'image').map(async part => numberOf(await read(part))),
    )
    // The second recording begins after 8 seconds with number 0.
    for (const [place, number] of numbers.entries())
      expect(Math.abs(number - [50, 67, 83, 100][place]!)).toBeLessThanOrEqual(2)
  })
})
