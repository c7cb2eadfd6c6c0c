import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluate, plan, type EvaluateOptions } from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'

/** Eight docs: two have the same request, one has a missing picture. */
async function questions(): Promise<{ readonly folder: string; readonly options: EvaluateOptions }> {
  const folder = await temporaryFolder()
  const texts = ['a', 'b', 'c', 'a', 'd', 'e', 'f', 'g']
  const docs = texts.map((question, place) => ({
    question,
    answer: question,
    images: place === 7 ? ['./missing.png'] : [],
  }))
  await writeFile(join(folder, 'docs.jsonl'), docs.map(doc => JSON.stringify(doc)).join('\n'))
  await writeFile(
    join(folder, 'questions.yaml'),
    `task: questions
dataset_path: ./docs.jsonl
doc_to_visual: images
doc_to_text: "{{question}}"
doc_to_target: answer
generation_kwargs: {max_new_tokens: 16}
metric_list: [{metric: exact_match}]
`,
  )
  return {
    folder,
    options: { store: join(folder, 'store'), model: 'dummy', tasks: [join(folder, 'questions.yaml')] },
  }
}

/** Every file below a folder by its content. */
async function contents(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile() && !/-(shm|wal)$/.test(entry.name))
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name)
    return [
      path,
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ] as const
  })
  return Object.fromEntries(await Promise.all(read))
}

test('a plan counts the requests that the evaluation then sends, and those that cannot be sent', async () => {
  const { options } = await questions()
  const [before] = (await plan(options)).tasks
  expect(before).toMatchObject({ docs: 8, requests: 8, inStore: 0, shared: 1, broken: 1, failed: 0, toAsk: 6 })
  expect(before?.output).toEqual({ low: 0, likely: 96, high: 96 })
  const run = await evaluate(options)
  expect(run.asked).toBe(before?.toAsk)
  const [after] = (await plan(options)).tasks
  expect(after).toMatchObject({ inStore: 7, shared: 0, broken: 1, toAsk: 0 })
})

test('repeats permanent failures only on request', async () => {
  const { options } = await questions()
  const failing = { ...options, modelArgs: { fail: ['invalid_request:1'] } }
  await evaluate(failing)
  expect((await plan(failing)).tasks[0]).toMatchObject({ inStore: 0, failed: 7, toAsk: 0 })
  expect((await plan({ ...failing, retryFailed: true })).tasks[0]).toMatchObject({ failed: 0, shared: 1, toAsk: 6 })
})

test('a plan changes nothing in the store, even for other settings', async () => {
  const { options, folder } = await questions()
  await evaluate({ ...options, limit: 3 })
  const before = await contents(join(folder, 'store'))
  expect(await plan(options)).toMatchObject({ run: { isNew: true }, tasks: [{ inStore: 4, toAsk: 3 }] })
  expect(await contents(join(folder, 'store'))).toEqual(before)
})

test('estimates the time from stored answers of the same model and tasks', async () => {
  const { options } = await questions()
  expect((await plan(options)).expectedMs).toBeUndefined()
  await evaluate({ ...options, limit: 3 })
  expect((await plan(options)).expectedMs).toBeGreaterThan(0)
  expect((await plan({ ...options, modelArgs: { mode: 'fixed', text: 'x' } })).expectedMs).toBeUndefined()
})

test('rejects a plan for the same reasons as the evaluation', async () => {
  const { options } = await questions()
  await expect(plan({ ...options, limit: 3, offset: 99 })).rejects.toThrow('offset: 99: task questions has 8 docs')
  await expect(plan({ ...options, model: 'dumy' })).rejects.toThrow(/no model "dumy"/)
})

test('a plan of several samples counts each, including stored, shared and broken ones', async () => {
  const { options } = await questions()
  await evaluate({ ...options, repeats: 2 })
  const { tasks } = await plan({ ...options, repeats: 5 })
  expect(tasks).toMatchObject([{ docs: 8, requests: 40, inStore: 14, shared: 3, broken: 5, failed: 0, toAsk: 18 }])
  const run = await evaluate({ ...options, repeats: 5 })
  expect(run.asked).toBe(18)
})
