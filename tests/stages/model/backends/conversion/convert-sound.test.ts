import { spawnSync } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { convertFile } from '../../../../../stages/model/backends/conversion/convert-file.js'
import { hasFfmpeg } from '../../../../support/framed-videos.js'
import { temporaryFolder } from '../../../../support/store.js'

const type = { kind: 'audio', format: 'flac', mime: 'audio/flac' } as const
const signal = new AbortController().signal

/** Makes a FLAC file of silence, which takes a thousandth of its WAV file. */
async function silence(seconds: number) {
  const folder = await temporaryFolder()
  const path = join(folder, 'sound.flac')
  spawnSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', `anullsrc=d=${seconds}:r=48000`, path])
  return { folder, path }
}

describe.skipIf(!hasFfmpeg)('a sound as WAV', () => {
  test('is complete up to the limit', async () => {
    const { folder, path } = await silence(5)
    const file = await convertFile(path, { type, to: 'wav', folder, signal, mostBytes: 2 ** 20 })
    expect((await stat(file)).size).toBe(44 + 5 * 48_000 * 4)
  })

  test('that exceeds the limit is rejected, and writing stops', async () => {
    const { folder, path } = await silence(600)
    const converting = convertFile(path, { type, to: 'wav', folder, signal, mostBytes: 2 ** 20 })
    await expect(converting).rejects.toThrow('it has more than 1 MB as WAV')
    expect((await stat(join(folder, 'converted.wav'))).size).toBeLessThan(1.2 * 2 ** 20)
  })
})
