import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../cache/open.js'
import { decoderInput, defaultLimits } from '../../../../base/processes/ffmpeg/decoder-input.js'
import { runDecoder } from '../../../../base/processes/ffmpeg/run-decoder.js'
import { hasFfmpeg } from '../../../support/framed-videos.js'
import {
  documentFiles,
  type FuzzedFile,
  movingFiles,
  mutate,
  pictureFiles,
  tryMedium,
} from '../../../support/fuzz-media.js'
import { seededRandom } from '../../../support/seeded.js'
import { temporaryFolder } from '../../../support/store.js'

/** A message that says the same on each machine: without paths of the store, addresses of memory and bytes of the file. */
const stable = /^(?!.*(?:0x[0-9a-f]{6,}|store-)).*$/

/** Runs modified files through the program. `scripts/fuzz-media.ts` does this with thousands. */
async function fuzz(sources: readonly FuzzedFile[], count: number): Promise<void> {
  const store = await openStore(join(await temporaryFolder(), 'store-of-test'))
  onTestFinished(() => store.close())
  for (let number = 0; number < count; number += 1) {
    const { name, bytes } = sources[number % sources.length]!
    const outcome = await tryMedium(store, mutate(bytes, seededRandom(number)))
    if (outcome.type === 'media') expect(outcome.message, `${name}, file ${number}`).toMatch(stable)
  }
}

// BMP is decoded by ffmpeg, which is slow to start.
const pictures = pictureFiles().filter(({ name }) => !name.endsWith('.bmp'))

test('modified pictures and PDFs work or fail with the class media', () => fuzz([...pictures, ...documentFiles()], 200))

test.skipIf(!hasFfmpeg)(
  'modified videos and sounds work or fail with the class media (needs the system package ffmpeg)',
  async () => fuzz(await movingFiles(), 11),
)

test.skipIf(!hasFfmpeg)('the message of a decoder contains no path (needs the system package ffmpeg)', async () => {
  const path = join(await temporaryFolder(), 'damaged.flac')
  await writeFile(path, 'fLaC and nothing more')
  const input = await decoderInput(path, defaultLimits)
  const signal = new AbortController().signal
  const run = runDecoder('ffprobe', [...input.options, input.path], { memoryMb: 2048, signal })
  await expect(run).rejects.toThrow(/^ffprobe: (?!.*(?:damaged\.flac|0x))/)
})
