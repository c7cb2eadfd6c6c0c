import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defineRecheck } from '../../../../src/cli/commands/comparing/recheck.js'
import { evaluate, mockModel, openStore, recheck, type Recheck } from '../../../../src/index.js'
import { runCommand } from '../../../support/command.js'
import { temporaryFolder } from '../../../support/store.js'
import { writeTextTask } from '../../../support/text-task.js'

/** Stores a run of 80 docs. The model answers with the name of its present version. */
async function storeRun(
  options: { readonly repeats?: number; readonly genKwargs?: { readonly temperature: number } } = {},
) {
  const folder = await temporaryFolder()
  const [task, store] = [await writeTextTask(folder, 80), join(folder, 'store')]
  const endpoint = { answer: (text: string): string => text }
  const model = mockModel({ version: '1', reply: ({ text }) => endpoint.answer(text) })
  const run = await evaluate({ store, model, tasks: [task], ...options })
  return { store, endpoint, model, run }
}

test('an endpoint with the same answers is not flagged, and old answers are kept', async () => {
  const { store, model, run } = await storeRun()
  const asked = model.calls.length
  const found = await recheck(run, { model, count: 30 })
  expect(found).toMatchObject({ matches: 30, n: 30, rate: 1, isChanged: false, basis: 'tolerance', differing: [] })
  expect(found.interval[0]).toBeGreaterThan(0.8)
  expect(model.calls.length - asked).toBe(30)
  const opened = await openStore(store, { access: 'read' })
  const runs = await opened.runs.list()
  expect(runs.at(-1)?.name).toBe(run.run.name)
  const [tags] = (await opened.runs.tags()).values()
  expect(tags).toEqual([`recheck of ${run.run.name}`])
  await opened.close()
})

test('flags an endpoint that changed silently', async () => {
  const { model, endpoint, run } = await storeRun()
  endpoint.answer = text => (Number(text.replace(/\D/g, '')) % 2 === 0 ? text : 'I cannot help with that.')
  const found = await recheck(run, { model, count: 40 })
  expect(found.isChanged).toBe(true)
  expect(found.p).toBeLessThan(0.005)
  expect(found.differing.length).toBe(found.n - found.matches)
  expect(found.differing[0]).toMatch(/^echoes\/\d+$/)
})

test('the seed selects the docs, and an earlier recheck without a change is the baseline of the next', async () => {
  const { model, run } = await storeRun()
  const questions = (from: number): readonly string[] =>
    model.calls
      .slice(from)
      .map(({ text }) => text)
      .sort()
  const first = await recheck(run, { model, count: 10, seed: 1 })
  const one = questions(80)
  const again = await recheck(run, { model, count: 10, seed: 1 })
  expect(questions(90)).toEqual(one)
  await recheck(run, { model, count: 10, seed: 2 })
  expect(questions(100)).not.toEqual(one)
  expect(first.basis).toBe('tolerance')
  expect(again).toMatchObject({ basis: 'earlier recheck', expected: { matches: 10, n: 10 } })
})

test('compares a sampled run with its own repeats, and rejects one without repeats', async () => {
  const alone = await storeRun({ genKwargs: { temperature: 1 } })
  await expect(recheck(alone.run, { model: alone.model })).rejects.toThrow('answers differ by chance')
  const { model, run } = await storeRun({ genKwargs: { temperature: 1 }, repeats: 2 })
  const found = await recheck(run, { model, count: 20 })
  expect(found).toMatchObject({ basis: 'repeats', expected: { matches: 80, n: 80 }, n: 20, isChanged: false })
})

test('an interrupted recheck gives no decision, and the next one continues it', async () => {
  const { store, endpoint, model, run } = await storeRun()
  const stop = new AbortController()
  let left = 8
  endpoint.answer = text => {
    left -= 1
    if (left === 0) stop.abort()
    return text
  }
  const [recheckDocs, before] = [{ model, count: 30 }, model.calls.length]
  await expect(recheck(run, { ...recheckDocs, signal: stop.signal })).rejects.toThrow('aborted')
  const asked = model.calls.length - before
  expect(asked).toBeLessThan(30)
  // A selection of other docs is another recheck, which does not use the interrupted one as its baseline.
  expect(await recheck(run, { model, count: 20, seed: 3 })).toMatchObject({ n: 20, basis: 'tolerance' })
  const notes: string[] = []
  const found = await recheck(run, {
    ...recheckDocs,
    onEvent(event) {
      if (event.type === 'note') notes.push(event.text)
    },
  })
  expect(found).toMatchObject({ n: 30, matches: 30, unanswered: 0 })
  expect(notes).toEqual([`the interrupted recheck ${found.recheck} continues`])
  expect(model.calls.length - before).toBe(20 + 30)
  const opened = await openStore(store, { access: 'read' })
  const named = [...(await opened.runs.tags()).values()]
  await opened.close()
  expect(named).toEqual([[`recheck of ${run.run.name}`], [`recheck of ${run.run.name}`]])
  // A finished recheck is repeated.
  expect((await recheck(run, recheckDocs)).recheck).not.toBe(found.recheck)
})

test('a recheck of a few docs is not a baseline, because no share of equal answers would be a change', async () => {
  const { model, endpoint, run } = await storeRun()
  await recheck(run, { model, count: 1 })
  endpoint.answer = () => 'I cannot help with that.'
  expect(await recheck(run, { model, count: 40 })).toMatchObject({ basis: 'tolerance', isChanged: true })
})

test('prints the share of equal answers, the expectation and the decision', async () => {
  const folder = await temporaryFolder()
  const [task, store] = [await writeTextTask(folder, 20), join(folder, 'store')]
  await evaluate({ store, model: 'dummy', modelArgs: { mode: 'echo' }, tasks: [task] })
  const { text } = await runCommand(defineRecheck, ['last', '--store', store, '--k', '15'])
  expect(text).toContain('15 of 15 docs answered alike: 100 %')
  expect(text).toContain('expected: at least 90 %')
  expect(text).toContain('no change found')
  const { data } = await runCommand(defineRecheck, ['last', '--store', store, '--k', '15', '--json'])
  expect(JSON.parse(data) as Recheck).toMatchObject({ format: 1, n: 15, basis: 'earlier recheck', isChanged: false })
  await expect(runCommand(defineRecheck, ['last', '--store', store, '--tolerance', '1'])).rejects.toThrow('--tolerance')
})
