import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sha256 } from '../../cache/digest.js'
import { runCli } from '../support/cli.js'
import { startFakeOpenai } from '../support/fake-openai.js'
import { yaml } from '../support/own-task.js'
import { temporaryFolder } from '../support/store.js'

/** Only the beginning and the end of a GIF are read. */
const gif = (seed: number, size: number): Buffer => {
  const noise = createHash('shake256', { outputLength: size }).update(String(seed)).digest()
  return Buffer.concat([Buffer.from('GIF89a'), noise, Buffer.from(';')])
}

test('each of many pictures, small or large, arrives unchanged', async () => {
  const folder = await temporaryFolder()
  const server = await startFakeOpenai()
  onTestFinished(() => server.close())
  // Enough megabytes that a thread is used, and one picture too large to be held in memory.
  const sizes = [...Array.from({ length: 30 }, (_, index) => 1_000_000 + index), 5_000_000, 10_000, 10]
  const pictures = sizes.map((size, index) => gif(index, size))
  await mkdir(join(folder, 'mytask'))
  for (const [index, bytes] of pictures.entries()) await writeFile(join(folder, `mytask/${index}.gif`), bytes)
  const docs = pictures.map((_, id) => ({ id, question: `Picture ${id}?`, image: `${id}.gif`, answer: 'Blue' }))
  await writeFile(join(folder, 'mytask/questions.jsonl'), docs.map(doc => JSON.stringify(doc)).join('\n'))
  await writeFile(join(folder, 'mytask/mytask.yaml'), yaml)
  const model = `model=m,base_url=${server.url},api_key=k,num_concurrent=8`
  const ended = await runCli(['infer', '--model', 'openai', '--model-args', model, '--tasks', './mytask'], {
    cwd: folder,
  })
  expect(ended).toMatchObject({ code: 0 })
  const arrived = server.seen.map(({ text }) => {
    const [, id, base64 = ''] = /^(?=.*Picture (\d+)\?).*image\/gif;base64,([^"]*)"/.exec(text) ?? []
    return [Number(id), sha256(Buffer.from(base64, 'base64'))] as const
  })
  expect(arrived.sort(([a], [b]) => a - b)).toEqual(pictures.map((bytes, id) => [id, sha256(bytes)]))
})
