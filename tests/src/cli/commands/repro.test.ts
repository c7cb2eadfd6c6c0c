import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { defineRepro } from '../../../../src/cli/commands/comparing/repro.js'
import { evaluate, readReproduction, type Reproduction } from '../../../../src/index.js'
import { runCommand } from '../../../support/command.js'
import { temporaryFolder } from '../../../support/store.js'
import { writeTextTask } from '../../../support/text-task.js'

async function storeRun(options: { readonly fresh?: boolean } = {}) {
  const folder = await temporaryFolder()
  const [task, store] = [await writeTextTask(folder, 6), join(folder, 'store')]
  const settings = { store, model: 'dummy', modelArgs: { mode: 'echo' }, tasks: [task], limit: 4 }
  const run = await evaluate({ ...settings, ...options })
  return { folder, task, store, run, settings }
}

const readData = async (store: string): Promise<Reproduction> =>
  JSON.parse((await runCommand(defineRepro, ['last', '--store', store, '--json'])).data) as Reproduction

test('prints the command line of an unchanged run and says that it is the same run', async () => {
  const { store, task, run } = await storeRun()
  const { text } = await runCommand(defineRepro, ['last', '--store', store])
  expect(text).toContain('pipeline eval --limit 4 --model dummy --model-args mode=echo')
  expect(text).toContain(`--tasks ${task}`)
  expect(text).toContain('its stored answers are valid')
  const data = await readData(store)
  expect(data).toMatchObject({ run: run.run.name, versions: [], isSameRun: true, changes: [], scoringChanges: [] })
  expect({ format: 1, ...(await readReproduction(run)) }).toEqual(data)
})

test('names changed data and changed rules', async () => {
  const { store, task } = await storeRun()
  await appendFile(join(dirname(task), 'docs.jsonl'), '{"question":"new","answer":"new"}\n')
  const data = await readData(store)
  expect(data.isSameRun).toBe(false)
  expect(data.changes.join('\n')).toMatch(/data file .*docs\.jsonl changed since the run began/)
  await writeFile(task, (await readFile(task, 'utf8')).replace('exact_match', 'exact_match\n    ignore_case: true'))
  const scored = await readData(store)
  expect(scored.scoringChanges).toEqual(['The rules of scoring of task echoes changed since the judgement.'])
  const { text } = await runCommand(defineRepro, ['last', '--store', store])
  expect(text).toContain('The same command is another run now')
})

test('compares a run of fresh samples with itself', async () => {
  const { store } = await storeRun({ fresh: true })
  const data = await readData(store)
  expect(data).toMatchObject({ isSameRun: true, changes: [] })
  expect(data.command).toContain('--fresh')
})

test('prints the command line if a task is missing, with the reason', async () => {
  const { store, task } = await storeRun()
  await writeFile(task, 'task: [')
  const data = await readData(store)
  expect(data.command).toContain('pipeline eval')
  expect(data).toMatchObject({ isSameRun: null })
  expect(data.problem).toContain('echoes.yaml')
})
