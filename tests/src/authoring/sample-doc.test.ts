import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { renderedSampleDoc } from '../../../src/authoring/sample-doc.js'
import { renderTaskExample } from '../../../src/authoring/task-example.js'
import { builtinTasks, resolveTasks } from '../../../stages/input/tasks/resolve-tasks.js'
import type { Task } from '../../../stages/input/tasks/task.js'

const cacheDir = mkdtempSync(join(tmpdir(), 'made-up-'))
afterAll(() => {
  rmSync(cacheDir, { recursive: true, force: true })
})

const load = (...names: readonly string[]): Promise<readonly Task[]> =>
  resolveTasks(names, { cacheDir, emit: () => undefined, includePaths: [builtinTasks] })

/** MMLU's subjects have one form; its folder is the only one with so many. */
const isOneOfMany = ({ name }: Task): boolean => /^mmlu_(?!.*(astronomy|pro_math))/.test(name)

test('each built-in task has a doc to show on its page', async () => {
  const tasks = (await load('*')).filter(task => !isOneOfMany(task) && !task.name.startsWith('shapes_vqa'))
  expect(tasks.length).toBeGreaterThan(280)
  const without: string[] = []
  for (const task of tasks) if ((await renderedSampleDoc(task)) === undefined) without.push(task.name)
  expect(without).toEqual([])
})

test('the page says that the doc is synthetic, how to get the data, and what the prompt leaves out', async () => {
  const [task] = await load('gsm8k')
  expect(await renderTaskExample(task!)).toEqual({
    prompt: expect.stringMatching(/^Question: .*\nAnswer:$/s) as string,
    target: expect.stringContaining('####') as string,
    note: 'of a made-up doc, without the 5 examples before it; its data are not here yet   (pipeline eval --tasks gsm8k --limit 1 fetches them)',
  })
})

test('a task whose data are available shows its first doc', async () => {
  const [task] = await load('shapes_vqa')
  expect(await renderTaskExample(task!)).toEqual({
    prompt: '<img_0000.png>Which color does the ring have?',
    target: 'orange',
  })
})

test("a user's own task has no synthetic doc", async () => {
  const [task] = await load('gsm8k')
  expect(await renderedSampleDoc({ ...task!, file: join(cacheDir, 'gsm8k/gsm8k.yaml') })).toBeUndefined()
})
