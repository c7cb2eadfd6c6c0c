import { makeLastingFile } from '../cache/media/lasting-file.js'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { python } from '../stages/model/backends/python.js'
import { ModelProcess } from '../cache/code/python/model-process.js'
import type { BackendContext } from '../stages/model/define-backend.js'
import { parseModelArgs } from '../stages/model/model-args.js'
import { perSecond, shareOf, type Figure, type Measurement } from './measurement.js'

const count = 4_000

const code = `
class Echo:
    is_simple = False

    def generate_until(self, requests):
        return [request.args[0] for request in requests]
`

/** Measures how many requests a trivial class answers, compared with the bare process that gets them in whole batches. */
export const pythonModel: Measurement = {
  name: 'python-model',
  async measure(folder) {
    const file = join(folder, 'echo.py')
    await writeFile(file, code)
    const figures: Figure[] = []
    for (const size of [1, 32]) {
      const reference = await bareRate(file, size)
      const value = await modelRate(file, size)
      figures.push(
        shareOf(`requests to a class in Python, batches of ${size}`, { value, reference, share: 0.4 }, perSecond),
      )
    }
    return figures
  },
}

const messageOf = (index: number) => ({
  role: 'user' as const,
  content: [{ type: 'text' as const, text: `What is the meaning of ${index}? ${'x'.repeat(200)}` }],
})

/** Requests a second through the backend. */
async function modelRate(file: string, size: number): Promise<number> {
  const context: BackendContext = {
    env: process.env,
    readMedia: () => Promise.reject(new Error('there are no media')),
    openMediaFile: path => Promise.resolve(makeLastingFile(path)),
    fileDigest: () => Promise.reject(new Error('there are no files')),
  }
  const given = { file, class: 'Echo', batch_size: size }
  const model = await python.open(parseModelArgs(python, given) as Parameters<typeof python.open>[0], context)

  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) {
      const input = { type: 'generate_until' as const, messages: [messageOf(next++)] }
      await model.answer({ input, generation: {}, sample: 0 }, new AbortController().signal)
    }
  }
  try {
    const start = performance.now()
    await Promise.all(Array.from({ length: 2 * size }, worker))
    return (1000 * count) / (performance.now() - start)
  } finally {
    await model.close?.()
  }
}

/** Requests a second of the same process without the backend: one call after the other. */
async function bareRate(file: string, size: number): Promise<number> {
  const bare = new ModelProcess(process.env['PIPELINE_PYTHON'] ?? 'python3', process.env)
  try {
    await bare.call('model.open', { kind: 'python', options: { file, class: 'Echo' } })
    const start = performance.now()
    for (let at = 0; at < count; at += size) {
      const requests = Array.from({ length: size }, (_, index) => ({
        type: 'generate_until',
        messages: [messageOf(at + index)],
        generation: {},
      }))
      await bare.call('model.answer', { requests })
    }
    return (1000 * count) / (performance.now() - start)
  } finally {
    await bare.stop()
  }
}
