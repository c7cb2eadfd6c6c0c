import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defineStability } from '../../../../src/cli/commands/comparing/stability.js'
import { evaluate, mockModel, readStability, type TaskStability } from '../../../../src/index.js'
import { diagnoseDocs } from '../../../../src/reading/stability/diagnose-docs.js'
import { measureRunStability } from '../../../../src/reading/stability/measure-run-stability.js'
import { runCommand } from '../../../support/command.js'
import { temporaryFolder } from '../../../support/store.js'
import { writeTextTask } from '../../../support/text-task.js'

/** The answers to the docs of the task: right for `R`, else wrong in the way of the letter. */
const patterns = ['RRRR', 'RRRW', 'WWWW', 'WXRR', 'WXYZ', 'RRRR'] as const

/** Stores a run of six docs with four samples each, whose answers follow the patterns. */
async function storeRepeats(repeats = 4) {
  const folder = await temporaryFolder()
  const [task, store] = [await writeTextTask(folder, patterns.length), join(folder, 'store')]
  const counts = new Map<string, number>()
  const model = mockModel({
    version: '1',
    reply({ text: question }) {
      const doc = Number(/question (\d)/.exec(question)?.[1])
      const at = counts.get(question) ?? 0
      counts.set(question, at + 1)
      const letter = patterns[doc]?.[at] ?? 'R'
      const right = doc % 3 === 0 ? 'another' : `question ${doc}`
      return letter === 'R' ? right : letter
    },
  })
  const run = await evaluate({ store, model, tasks: [task], repeats, genKwargs: { temperature: 1 } })
  return { store, task, run }
}

test('computes the defined measures for the repeats of a run, in library and command', async () => {
  const { store, run } = await storeRepeats()
  const stability = await readStability(run)
  const [found] = stability.tasks as readonly [TaskStability]
  expect(found).toMatchObject({ task: 'echoes', metric: 'exact_match', docs: 6, samples: 4 })
  // 4 + 3 + 0 + 2 + 0 + 4 right samples of 24.
  expect(found.expectedAccuracy.value).toBeCloseTo(13 / 24, 12)
  expect(found.consensusAccuracy.value).toBeCloseTo(3 / 6, 12)
  expect(found.consistencyRate.value).toBeCloseTo(4 / 6, 12)
  expect(found.internalVariance.value).toBeCloseTo((0.25 + 1 / 3) / 6, 12)
  const last = found.attempts.at(-1)
  expect(last).toMatchObject({ k: 4 })
  expect(last?.passAtK.value).toBeCloseTo(4 / 6, 12)
  expect(last?.passHatK.value).toBeCloseTo(2 / 6, 12)
  expect(last?.majAtK.value).toBeCloseTo(4 / 6, 12)
  expect(found.expectedAccuracy.interval?.[0]).toBeLessThan(13 / 24)
  expect(found.diagnoses.ambiguous).toEqual(['1', '3', '4'])
  expect(found.diagnoses.confidentlyWrong).toEqual([{ id: '2', answer: 'W' }])
  const { data } = await runCommand(defineStability, [run.run.name, '--store', store, '--json'])
  expect(JSON.parse(data)).toEqual({ format: 1, ...stability })
  const { text } = await runCommand(defineStability, [run.run.name, '--store', store])
  expect(text).toContain('echoes exact_match: 6 docs, 4 samples each')
  expect(text).toMatch(/pass\^4 +0\.333 +0\.\d+ – 0\.\d+/)
  expect(text).toContain('3 docs ambiguous (the samples disagree): 1, 3, 4')
  expect(text).toContain('1 doc confidently wrong (all samples give one wrong answer): 2')
})

test('other runs show which docs only this model gets wrong', async () => {
  const { store, task, run } = await storeRepeats()
  const right = mockModel({
    version: 'right',
    reply({ text: question }) {
      const doc = Number(/question (\d)/.exec(question)?.[1])
      return doc === 2 ? 'W' : doc % 3 === 0 ? 'another' : `question ${doc}`
    },
  })
  const other = await evaluate({ store, model: right, tasks: [task] })
  const { tasks } = await readStability(run, { with: [other] })
  expect(tasks[0]?.diagnoses).toMatchObject({ modelSpecific: ['3', '4'], wrongEverywhere: ['2'] })
})

test('rejects a run with one sample per doc, and names the option', async () => {
  const { store, run } = await storeRepeats(1)
  await expect(readStability(run)).rejects.toThrow('one sample of each doc')
  await expect(runCommand(defineStability, [run.run.name, '--store', store])).rejects.toThrow('repeats')
})

test('the interval of the consistency has a width for equal samples, and clusters widen intervals', () => {
  const docs = Array.from({ length: 40 }, (_, i) => {
    const score = Number(i % 8 < 4)
    return { id: String(i), scores: [score, score], answers: ['a', 'a'] }
  })
  const plain = measureRunStability(docs)
  expect(plain.consistencyRate).toMatchObject({ value: 1 })
  expect(plain.consistencyRate.interval?.[0]).toBeLessThan(0.95)
  const clustered = measureRunStability(docs.map((doc, i) => ({ ...doc, cluster: `c${Math.floor(i / 4)}` })))
  const width = ({ interval }: { readonly interval: readonly [number, number] | null }): number =>
    interval === null ? Number.NaN : interval[1] - interval[0]
  expect(width(clustered.expectedAccuracy)).toBeGreaterThan(1.5 * width(plain.expectedAccuracy))
})

test('scores between 0 and 1 have no pass@k, and identical wrong answers are confidently wrong', () => {
  const docs = [{ id: 'a', scores: [0.2, 0.4], answers: ['x', 'y'] }]
  expect(measureRunStability([...docs, { id: 'b', scores: [1, 1], answers: ['z', 'z'] }]).attempts).toEqual([])
  expect(diagnoseDocs([{ id: 'c', scores: [0, 0], answers: ['x', 'x'] }]).confidentlyWrong).toHaveLength(1)
  expect(diagnoseDocs([{ id: 'c', scores: [1, 1], answers: ['x', 'X'] }])).toEqual({
    ambiguous: [],
    confidentlyWrong: [],
  })
})
