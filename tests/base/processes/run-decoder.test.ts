import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runDecoder } from '../../../base/processes/ffmpeg/run-decoder.js'
import { hasFfmpeg } from '../../support/framed-videos.js'
import { temporaryFolder } from '../../support/store.js'

const signal = new AbortController().signal

describe.skipIf(!hasFfmpeg)('a failure of ffmpeg (needs the system package ffmpeg)', () => {
  const readFrames = async (filter: string, memoryMb: number): Promise<string> => {
    const path = join(await temporaryFolder(), 'video.mkv')
    const source = ['-f', 'lavfi', '-i', 'testsrc=size=1280x720:rate=5:duration=1']
    spawnSync('ffmpeg', ['-nostdin', '-v', 'error', ...source, '-c:v', 'ffv1', path])
    const args = ['-nostdin', '-v', 'error', '-i', path, '-vf', filter, '-f', 'null', '-']
    return runDecoder('ffmpeg', args, { memoryMb, signal }).then(
      () => 'works',
      (error: unknown) => String(error),
    )
  }

  test('names its limit of memory if that is too small', async () => {
    expect(await readFrames('scale=20000:20000', 700)).toMatch(/limit of memory, 700 MB, may be too small/)
  })

  test('does not name the limit of memory if a filter is refused, however long the filter is', async () => {
    const sum = Array.from({ length: 3_000 }, (_, index) => `eq(n,${index})`).join('+')
    const message = await readFrames(`select='${sum}'`, 2_048)
    expect(message).toContain('DecoderError: ffmpeg: ')
    expect(message).not.toContain('memory, ')
  })
})
