import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeRenderer } from '../../stages/input/render/renderer.js'
import { builtinTasks, resolveTasks } from '../../stages/input/tasks/resolve-tasks.js'

const cacheDir = mkdtempSync(join(tmpdir(), 'arc-'))
afterAll(() => {
  rmSync(cacheDir, { recursive: true, force: true })
})

const load = (...names: readonly string[]) =>
  resolveTasks(names, { cacheDir, emit: () => undefined, includePaths: [builtinTasks] })

const doc = {
  id: 'x',
  question: 'Which of these floats on water?',
  choices: { text: ['a pebble', 'a cork', 'a nail', 'a coin'], label: ['1', '2', '3', '4'] },
  answerKey: '2',
}

describe('arc', () => {
  it('asks the question and compares the texts of the options', async () => {
    const [task] = await load('arc_challenge')
    const rendered = makeRenderer(task!, Object.keys(doc)).render(doc)
    if (rendered.type === 'failed') throw new Error(rendered.reason)
    expect(rendered.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Question: Which of these floats on water?\nAnswer:' }] },
    ])
    expect(rendered.continuations).toEqual([' a pebble', ' a cork', ' a nail', ' a coin'])
    expect(rendered.record.target).toBe(1)
  })

  it('consists of two tasks with a common tag', async () => {
    const tasks = await load('ai2_arc')
    expect(tasks.map(({ name, config }) => [name, config.dataset_name, config.test_split])).toEqual([
      ['arc_challenge', 'ARC-Challenge', 'test'],
      ['arc_easy', 'ARC-Easy', 'test'],
    ])
    expect(tasks.map(({ config }) => config.metric_list?.map(({ metric }) => metric))).toEqual([
      ['acc', 'acc_norm'],
      ['acc', 'acc_norm'],
    ])
  })
})
