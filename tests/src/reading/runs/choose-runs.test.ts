import { afterAll, beforeAll, expect, test } from 'vitest'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineRuns } from '../../../../src/cli/commands/runs/runs.js'
import { evaluate, listRuns } from '../../../../src/index.js'
import type { RunChoice } from '../../../../src/reading/runs/choose-runs.js'
import { runCommand } from '../../../support/command.js'

let folder = ''
let store = ''
const names = new Map<string, string>()

/** Four runs: two models on two tasks, of which one has a metric where less is better. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipeline-test-'))
  store = join(folder, 'store')
  for (const [task, metric] of [
    ['colours', 'exact_match'],
    ['edits', 'anls'],
  ]) {
    await mkdir(join(folder, `${task}`))
    const rows = ['red', 'blue'].map(text => JSON.stringify({ q: text, a: text }))
    await writeFile(join(folder, `${task}`, 'docs.jsonl'), `${rows.join('\n')}\n`)
    await writeFile(
      join(folder, `${task}`, 'task.yaml'),
      `task: ${task}\ndataset_path: ./docs.jsonl\ndoc_to_text: "{{q}}"\ndoc_to_target: a\nmetric_list: [{metric: ${metric}}]\n`,
    )
    for (const mode of ['target', 'fixed']) {
      const { run } = await evaluate({
        store,
        model: 'dummy',
        modelArgs: mode === 'target' ? { mode: 'echo' } : { mode, text: 'green' },
        tasks: [join(folder, `${task}`, 'task.yaml')],
        ...(mode === 'target' && { name: `best of ${task}`, tag: ['good'], note: 'a remark', modelName: 'Echo-7B' }),
      })
      names.set(`${task} ${mode}`, run.name)
    }
  }
})

afterAll(() => rm(folder, { recursive: true, force: true }))

async function choose(choice: RunChoice): Promise<readonly (string | undefined)[]> {
  const runs = await listRuns({ store, ...choice })
  return runs.map(({ name }) => [...names].find(([, known]) => known === name)?.[0])
}

test('a part of a name or a pattern finds runs, in any letter case', async () => {
  expect(await choose({ model: 'echo' })).toEqual(['colours target', 'edits target'])
  expect(await choose({ model: '*fixed*', task: 'col*' })).toEqual(['colours fixed'])
  expect(await choose({ task: 'EDIT' })).toEqual(['edits target', 'edits fixed'])
  expect(await choose({ task: 'edit*s?' })).toEqual([])
  expect(await choose({ tag: 'good', limit: 1 })).toEqual(['edits target'])
})

test('selects runs by state and time', async () => {
  expect(await choose({ state: 'complete' })).toHaveLength(4)
  expect(await choose({ state: 'running' })).toEqual([])
  expect(await choose({ since: Date.now() + 1000 })).toEqual([])
  expect(await choose({ before: Date.now() + 1000 })).toHaveLength(4)
})

test('sorts by the best score of each metric', async () => {
  expect(await choose({ sort: 'score', task: 'colours' })).toEqual(['colours target', 'colours fixed'])
  expect(await choose({ sort: 'score', limit: 1, task: 'edits' })).toEqual(['edits target'])
})

test('the list shows names, and JSON has name, note and tags', async () => {
  const { text } = await runCommand(defineRuns, ['list', '--store', store, '--model', 'echo'])
  expect(text).toContain('best of colours')
  expect(text).toContain('Echo-7B')
  const { data } = await runCommand(defineRuns, [
    'list',
    '--store',
    store,
    '--task',
    'colours',
    '--tag',
    'good',
    '--json',
  ])
  expect(JSON.parse(data)).toMatchObject([
    { title: 'best of colours', note: 'a remark', model: 'Echo-7B', tags: ['good'] },
  ])
  const none = await runCommand(defineRuns, ['list', '--store', store, '--model', 'nothing'])
  expect(none.text).toBe('no run fits. All runs: pipeline runs list --all')
})

test('an unknown state is rejected with the known ones', async () => {
  await expect(runCommand(defineRuns, ['list', '--store', store, '--state', 'done'])).rejects.toThrow('"complete"')
})
