import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chooseExpression, writeFrames } from '../../../../../stages/model/backends/frames/ffmpeg.js'
import { frameIndices, type FrameRules } from '../../../../../stages/model/backends/frames/frame-plan.js'
import { extractFrames } from '../../../../../stages/model/backends/frames/seek-frames.js'
import { videoFacts } from '../../../../../stages/model/backends/frames/video-facts.js'
import { hasFfmpeg } from '../../../../support/framed-videos.js'
import { temporaryFolder } from '../../../../support/store.js'

const decoding = { limits: { memoryMb: 2048, pixels: 36_000_000 }, signal: new AbortController().signal }
const rules: FrameRules = { nframes: 1, max_frames: 4_096, min_pixels: 784, max_pixels: 151_200, factor: 28 }
const size = { width: 64, height: 32 }

/** The left half of each picture shows the number of its frame modulo 64, the right half the rest, in steps of three greys. */
const numbered = "nullsrc=size=64x32:rate=25:duration=100,format=gray,geq=lum='16+3*if(lt(X,32),mod(N,64),floor(N/64))'"

async function numberOf(file: string): Promise<number> {
  const { data } = await sharp(file).extractChannel(0).raw().toBuffer({ resolveWithObject: true })
  const [low = NaN, high = NaN] = [data[16 * 64 + 8], data[16 * 64 + 56]]
  // The video has 219 greys, and the picture 255.
  const [first, second] = [low, high].map(grey => Math.round((grey * 219) / 255 / 3))
  return (first ?? NaN) + 64 * (second ?? NaN)
}

const numbersOf = (files: readonly string[]): Promise<readonly number[]> => Promise.all(files.map(numberOf))

describe.skipIf(!hasFfmpeg)('all frames that are wanted are written (needs the system package ffmpeg)', () => {
  let folder = ''
  let video = ''
  let facts: Awaited<ReturnType<typeof videoFacts>>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'many-frames-'))
    video = join(folder, 'video.mp4')
    const encoder = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '4', '-g', '100', '-pix_fmt', 'gray']
    const { stderr } = spawnSync('ffmpeg', [
      '-nostdin',
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      numbered,
      ...encoder,
      video,
    ])
    expect(stderr.toString()).toBe('')
    facts = await videoFacts(video, { ...decoding, isExact: false })
    expect(facts.frames).toBe(2_500)
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  const write = async (indices: readonly number[]): Promise<readonly string[]> =>
    writeFrames(video, {
      ...decoding,
      ...size,
      codec: facts.codec,
      indices,
      folder: join(await temporaryFolder(), 'all'),
    })

  test.each([1, 16, 64, 65, 99, 100, 101, 256, 768, 2_048, 2_500])('%i of them, by number', async nframes => {
    const indices = frameIndices(facts, { ...rules, nframes })
    expect(indices).toHaveLength(nframes)
    expect(await numbersOf(await write(indices))).toEqual(indices)
  })

  test.each([1, 1.02, 4, 20])('%d a second', async fps => {
    const indices = frameIndices(facts, { ...rules, fps })
    expect(indices.length).toBeGreaterThanOrEqual(100 * fps - 2)
    expect(await numbersOf(await write(indices))).toEqual(indices)
  })

  // The last part of the video, so that seeking pays off. Pixels are said to be many for the same reason.
  test.each([99, 100, 101, 256, 768])('%i of them, by the times of the file', async count => {
    const indices = Array.from({ length: count }, (_, index) => facts.frames - count + index)
    const wanted = { ...decoding, ...size, codec: facts.codec, packets: facts.packets, indices }
    const files = await extractFrames(video, { ...wanted, pixels: 8_000_000, folder: await temporaryFolder() })
    expect(files[0]).toContain('sought')
    expect(await numbersOf(files)).toEqual(indices)
  })
})

test('the expression of the most frames fits into one argument of a process, even with large times', () => {
  const times = Array.from({ length: 4_096 }, (_, index) => 90_000 * 86_400 * 30 + index)
  expect(chooseExpression('pts', times).length).toBeLessThan(128 * 1024)
})

test('no part of the expression is a sum of more terms than ffmpeg parses', () => {
  for (const count of [1, 16, 64, 65, 100, 101, 129, 4_096]) {
    const text = chooseExpression(
      'n',
      Array.from({ length: count }, (_, index) => 3 * index),
    )
    expect(text.match(/eq\(n,\d+\)/g)).toHaveLength(count)
    for (const part of text.split(/if\(|,(?=if|eq)|\),/)) expect(part.split('+').length).toBeLessThanOrEqual(64)
  }
})
