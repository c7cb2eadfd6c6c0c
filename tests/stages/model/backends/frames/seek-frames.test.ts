import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeFrames } from '../../../../../stages/model/backends/frames/ffmpeg.js'
import { extractFrames } from '../../../../../stages/model/backends/frames/seek-frames.js'
import { videoFacts } from '../../../../../stages/model/backends/frames/video-facts.js'
import { hasFfmpeg } from '../../../../support/framed-videos.js'
import { temporaryFolder } from '../../../../support/store.js'

const decoding = { limits: { memoryMb: 2048, pixels: 36_000_000 }, signal: new AbortController().signal }

/** Compares frames found by seeking with frames decoded from the start. @returns whether seeking was used */
async function compareFrames(path: string, share: readonly number[]): Promise<boolean> {
  const folder = await temporaryFolder()
  const { frames, codec, packets } = await videoFacts(path, { ...decoding, isExact: false })
  const indices = share.map(part => Math.floor(part * (frames - 1)))
  const wanted = { ...decoding, codec, indices, width: 64, height: 64 }
  // Large pictures, so that seeking pays off in a short video.
  const found = await extractFrames(path, { ...wanted, packets, pixels: 8_000_000, folder })
  const all = await writeFrames(path, { ...wanted, folder: join(folder, 'compared') })
  expect(found).toHaveLength(indices.length)
  for (const [place, file] of found.entries()) expect(await readFile(file)).toEqual(await readFile(all[place] ?? ''))
  return found[0]?.includes('sought') === true
}

async function makeVideo(name: string, encoder: readonly string[]): Promise<string> {
  const path = join(await temporaryFolder(), name)
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=96x64:rate=25:duration=12', '-pix_fmt', 'yuv420p']
  const { status, stderr } = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', ...source, ...encoder, path])
  expect(`${String(status)} ${stderr.toString()}`).toMatch(/^0 /)
  return path
}

const groups = ['-g', '50']
const late = [0.45, 0.6, 0.97, 1]

describe.skipIf(!hasFfmpeg)(
  'seeking returns the same frames as decoding from the start (needs the system package ffmpeg)',
  () => {
    test.each([
      ['h264.mp4', ['-c:v', 'libx264', ...groups]],
      ['h264.mkv', ['-c:v', 'libx264', ...groups]],
      ['fragments.mp4', ['-c:v', 'libx264', ...groups, '-movflags', 'frag_keyframe+empty_moov']],
      ['open.mkv', ['-c:v', 'libx265', '-x265-params', 'log-level=error:keyint=50:open-gop=1']],
      ['vp9.webm', ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', ...groups]],
    ])('if each is found by its keyframe: %s', async (name, encoder) => {
      expect(await compareFrames(await makeVideo(name, encoder), late)).toBe(true)
    })

    test.each([
      ['keyframes lean on pictures before', 'open.mp4', ['-x264-params', 'open-gop=1:keyint=50']],
      ['pictures are refreshed little by little', 'refresh.mp4', ['-x264-params', 'intra-refresh=1:keyint=50']],
      ['the container has no index', 'video.ts', groups],
    ])('if seeking is not exact because %s', async (_, name, encoder) => {
      expect(await compareFrames(await makeVideo(name, ['-c:v', 'libx264', ...encoder]), late)).toBe(false)
    })

    const folder = join(process.env['PIPELINE_TEST_DATA'] ?? '', 'video')
    test.skipIf(!existsSync(folder))('for all test videos (needs PIPELINE_TEST_DATA)', async () => {
      const sought: string[] = []
      for (const name of await readdir(folder)) if (await compareFrames(join(folder, name), [0.9, 1])) sought.push(name)
      // Seeking in cockatoo.mp4 causes decoding errors.
      expect(sought).toEqual(['realshort.mp4'])
    })
  },
)
