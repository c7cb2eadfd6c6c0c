import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { answerTimes } from './answer-times.js'
import { bareRate, startLoopback } from './loopback.js'
import { atMost, megabytes, perSecond, shareOf, times, type Figure, type Measurement } from './measurement.js'
import { runProgram } from './program.js'

interface Load {
  readonly count: number
  readonly slots: number
  /** Approximate size of each image. */
  readonly megabytes: number
}

/**
 * Measures requests with images, sent as their original bytes. Memory must not grow with their number, and the bytes sent must be little more than
 * their base64.
 */
export const images: Measurement = {
  name: 'images',
  async measure(folder) {
    const { figures } = await send(folder, { count: 300, slots: 16, megabytes: 1 }, 300)
    return figures
  },
}

/** The same with many large images, including their space on disk. */
export const largeImages: Measurement = {
  name: 'large-images',
  isLarge: true,
  async measure(folder) {
    const { figures, bytes } = await send(folder, { count: 500, slots: 32, megabytes: 8 }, 512)
    const onDisk = await bytesUnder(join(folder, 'store'))
    return [...figures, atMost('  bytes on disk against those of the pictures', onDisk / bytes, 1.02, times)]
  },
}

async function send(
  folder: string,
  load: Load,
  limit: number,
): Promise<{ readonly figures: readonly Figure[]; readonly bytes: number }> {
  const { paths, bytes } = await makePictures(folder, load)
  await writeTask(folder, paths)
  const server = await startLoopback({ kind: 'steady', latencyMs: 50 })
  try {
    const bare = await bareRate(server, { requests: load.count, slots: load.slots, body: bareBodies(paths) })
    await server.stats()
    const used = await runProgram([
      ...['eval', '--model', 'openai', '--tasks', 'pictures', '--include-path', join(folder, 'task'), '--quiet'],
      ...['--model-args', `model=bench,base_url=${server.origin}/v1,num_concurrent=${load.slots}`],
      ...['--store', join(folder, 'store')],
    ])
    const sent = (await server.stats()).bytes
    const { rate } = answerTimes(join(folder, 'store'))
    const what = `${load.count} pictures of ${load.megabytes} MB, ${load.slots} in flight`
    return {
      bytes,
      figures: [
        atMost(`${what}: peak memory`, used.peak, limit, megabytes),
        atMost('  bytes sent against those of the pictures', sent / bytes, 1.36, times),
        shareOf('  requests a second', { value: rate, reference: bare, share: 0.9 }, perSecond),
      ],
    }
  } finally {
    server.stop()
  }
}

/** Creates PNGs of noise, which does not compress, so a file is as large as its pixels. A running digest makes the bytes equal in every run. */
async function makePictures(folder: string, load: Load): Promise<{ paths: readonly string[]; bytes: number }> {
  const pictures = join(folder, 'task', 'pictures')
  await mkdir(pictures, { recursive: true })
  const side = Math.floor(Math.sqrt((load.megabytes * 1e6) / 3))
  const paths: string[] = []
  let bytes = 0
  for (let index = 0; index < load.count; index += 1) {
    const picture = sharp(noise(index, side * side * 3), { raw: { width: side, height: side, channels: 3 } })
    const path = join(pictures, `${index}.png`)
    bytes += (await picture.png({ compressionLevel: 0 }).toFile(path)).size
    paths.push(path)
  }
  return { paths, bytes }
}

function noise(seed: number, length: number): Buffer {
  return createHash('shake256', { outputLength: length }).update(String(seed)).digest()
}

async function writeTask(folder: string, paths: readonly string[]): Promise<void> {
  const docs = paths.map((path, id) =>
    JSON.stringify({ id, image: path, question: `Is this picture ${id}?`, answer: 'yes' }),
  )
  await writeFile(join(folder, 'task', 'docs.jsonl'), `${docs.join('\n')}\n`)
  await writeFile(join(folder, 'task', 'pictures.yaml'), rules)
}

const rules = `task: pictures
dataset_path: docs.jsonl
output_type: generate_until
doc_to_visual: image
doc_to_text: "{{question}}"
doc_to_target: answer
generation_kwargs:
  max_new_tokens: 16
metric_list:
  - metric: exact_match
`

/** Bodies in the API's format, each created from its image when it is sent. */
const bareBodies =
  (paths: readonly string[]) =>
  async (index: number): Promise<string> => {
    const url = `data:image/png;base64,${(await readFile(paths[index] ?? '')).toString('base64')}`
    const content = [
      { type: 'image_url', image_url: { url } },
      { type: 'text', text: `Is this picture ${index}?` },
    ]
    return JSON.stringify({ model: 'bench', messages: [{ role: 'user', content }], max_tokens: 16 })
  }

async function bytesUnder(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  return bytes
}
