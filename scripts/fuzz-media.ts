/**
 * Changes pictures, sounds, videos and PDFs at random and shows each to the program. Each must work or fail with the class `media`.
 *
 *     npx tsx scripts/fuzz-media.ts --files 2000 --seed 1
 *
 * A file that crashed is written to the folder of temporary files. The system package ffmpeg is needed for sounds and videos.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openStore } from '../cache/open.js'
import { documentFiles, movingFiles, mutate, pictureFiles, tryMedium } from '../tests/support/fuzz-media.js'
import { seededRandom } from '../tests/support/seeded.js'

const { values } = parseArgs({
  options: { files: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } },
})
const sources = [...pictureFiles(), ...documentFiles(), ...(await movingFiles())]
const folder = await mkdtemp(join(tmpdir(), 'fuzz-store-'))
const store = await openStore(folder)
/** An address of memory, a path of the store, or bytes of the file. */
const unstable = /0x[0-9a-f]{6,}|fuzz-store|[\0-\x1f\x7f-\xff]/
const counts = new Map<string, number>()
let crashes = 0
for (let number = 0; number < Number(values.files); number += 1) {
  const random = seededRandom(Number(values.seed) * 1_000_003 + number)
  const source = sources[number % sources.length]
  if (source === undefined) break
  const bytes = mutate(source.bytes, random)
  const began = performance.now()
  try {
    const { type, ...rest } = await tryMedium(store, bytes)
    counts.set(type, (counts.get(type) ?? 0) + 1)
    if ('message' in rest && unstable.test(rest.message))
      throw new Error(`a message that differs each time: ${rest.message}`)
  } catch (error) {
    crashes += 1
    const file = join(tmpdir(), `fuzz-${values.seed}-${number}`)
    await writeFile(file, bytes)
    console.log(`${file} (${source.name}): ${String(error)}`)
  }
  const seconds = (performance.now() - began) / 1000
  if (seconds > 10) console.log(`${source.name}, file ${number}: ${seconds.toFixed(1)} s`)
}
await store.close()
await rm(folder, { recursive: true })
console.log(`${[...counts].map(([type, count]) => `${count} ${type}`).join(', ')}, ${crashes} crashed`)
process.exitCode = crashes === 0 ? 0 : 1
