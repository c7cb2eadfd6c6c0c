/** The arguments of functions are checked, because TypeScript finds no mistake in a JavaScript program. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as library from '../../../src/index.js'
import { refusal } from '../../support/typed.js'

const { defineTask, evaluate, listRuns, mockModel, rows } = library

const task = defineTask({
  name: 'checked',
  module: import.meta.url,
  dataset: rows([{ question: 'q', answer: 'a' }]),
  prompt: doc => doc.question,
  target: doc => doc.answer,
  metrics: { exact: library.exactMatch() },
})

const evaluateAgain = () => evaluate({ store, model: mockModel({ version: '1', reply: () => 'a' }), tasks: [task] })

let folder = ''
let store = ''
let file = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipeline-test-'))
  store = join(folder, 'store')
  file = join(folder, 'file')
  await evaluateAgain()
})

afterAll(() => rm(folder, { recursive: true }))

type Call = (run: never, options: never) => unknown

/** Each function that takes a run and options, called with `run` in place of a run. */
const ofRuns: Readonly<Record<string, Call>> = {
  assess: library.assess,
  blame: (run, options) => library.blame('last', run, options),
  calibrate: library.calibrate,
  compare: (run, options) => library.compare('last', run, options),
  compareAll: (run, options) => library.compareAll(['last', run], options),
  compareBy: (run, options) => library.compareBy(run, 'last', 'field', options),
  exportRun: (run, options) => library.exportRun(run, file, options),
  htmlReport: (run, options) => library.htmlReport(run, file, options),
  judge: library.judge,
  mediaManifest: library.mediaManifest,
  planFromRuns: library.planFromRuns,
  readReproduction: library.readReproduction,
  readStability: library.readStability,
  recheck: library.recheck,
  report: library.report,
  rescore: library.rescore,
  resume: library.resume,
  track: (run, options) => library.track(run, `tensorboard=${file}`, options),
  writeTaskFromRun: (run, options: object) => library.writeTaskFromRun(run, { name: 'hard', ...options }),
}

/** Each function that takes options and no run. */
const others: Readonly<Record<string, (options: never) => unknown>> = {
  collectGarbage: library.collectGarbage,
  importLog: options => library.importLog(file, options),
  importRun: options => library.importRun(file, options),
  importTasks: options => library.importTasks(file, options),
  judgeAnswers: (options: object) => library.judgeAnswers(file, { tasks: [task], ...options }),
  leaderboard: library.leaderboard,
  listRuns: library.listRuns,
  openStore: options => library.openStore(store, options),
  planComparison: library.planComparison,
  mockModel: (options: object) => mockModel({ reply: () => 'a', ...options }),
  samples: async options => (await evaluateAgain()).samples(options)[Symbol.asyncIterator]().next(),
  verifyBundle: options => library.verifyBundle(file, options),
}

/** A call may throw at once or reject. */
const call = (work: () => unknown): Promise<unknown> => Promise.resolve().then(work)

describe('an option that does not exist is rejected', () => {
  const calls = {
    ...Object.fromEntries(Object.entries(ofRuns).map(([name, work]) => [name, work.bind(null, 'last' as never)])),
    ...others,
  }
  test.each(Object.entries(calls))('by %s', async (_, work) => {
    const error = await refusal(call(() => work({ misspelt: 1 } as never)))
    expect(error).toMatchObject({ code: 'usage' })
    expect(error.problems).toContain('options.misspelt: no such option.')
  })
})

describe('a value that is no run is rejected', () => {
  test.each(Object.entries(ofRuns))('by %s', async (_, work) => {
    for (const [value, kind] of [
      [undefined, 'nothing'],
      [42, 'a number'],
      [{ name: 'last' }, 'an object with name'],
      [Promise.resolve('last'), 'a promise. Write await before the call that returns it'],
    ] as const) {
      const error = await refusal(call(() => work(value as never, { store } as never)))
      expect(error.problems.join()).toContain(
        `expected a run, which is a name such as 'last' or what evaluate() returns, given ${kind}`,
      )
    }
  })
})

test('collectGarbage removes no run without a choice of runs', async () => {
  const choices = [{}, { all: true }, { all: false }, { runs: [] }, { tag: undefined }]
  for (const choice of choices) await library.collectGarbage({ store, ...choice })
  const misspelt = { store, olderThn: '30d' } as object
  await refusal(library.collectGarbage(misspelt))
  for (const empty of [{ model: '' }, { task: ' ' }, { tag: '' }])
    expect(await refusal(library.collectGarbage({ store, ...empty }))).toMatchObject({
      problems: [`${Object.keys(empty).join()}: expected a text that is not empty`],
    })
  expect(await listRuns({ store })).toHaveLength(1)
})

describe('a definition with a misspelt or missing field is rejected', () => {
  const unchecked = library as unknown as Readonly<Record<string, (...given: unknown[]) => unknown>>
  const { z } = library
  const taskFields = { name: 't', dataset: rows([]), prompt: () => 'q', metrics: {} }
  const args = z.strictObject({})
  test.each([
    ['defineTask', [{ ...taskFields, fliters: [] }], 'task.fliters: no such option. Did you mean "filters"?'],
    ['defineTask', [{ ...taskFields, prompt: undefined }], 'task.prompt: expected a function, given nothing'],
    ['defineMetric', [{ id: 'm', args, higherIsBetter: true }], 'metric.judge: expected a function, given nothing'],
    [
      'defineMetric',
      [{ id: 'm', args, higherIsBetter: true, judge: () => 1, rnge: [0, 1] }],
      'metric.rnge: no such option. Did you mean "range"?',
    ],
    ['defineFilter', [{ id: 'f', args }], 'filter.apply: expected a function, given nothing'],
    ['defineTextFilter', [{ id: 'f', args, apply: () => [] }], 'textFilter.read: expected a function, given nothing'],
    [
      'defineAggregation',
      [{ id: 'a', of: 'sums', summarise: () => 0 }],
      `aggregation.of: expected 'numbers', 'values' or 'folded', given the text "sums"`,
    ],
    [
      'defineBackend',
      [{ id: 'b', args: {}, accept: ['text'], open: () => ({}) }],
      `backend.accepts: is missing: expected a list such as ['text']`,
    ],
    ['defineJudge', [{ modl: 1 }], 'judge.model: expected a model, such as openai({…}), given nothing'],
    ['jsonl', ['docs.jsonl', { shema: 1 }], 'dataset.shema: no such option. Did you mean "schema"?'],
    ['hub', ['a/b', { splt: 'x' }], 'dataset.splt: no such option. Did you mean "split"?'],
    ['rows', ['docs.jsonl'], 'rows: expected a list, an iterable or a function, given a text'],
  ])('by %s', async (name, given, problem) => {
    const error = await refusal(call(() => unchecked[name]?.(...given)))
    expect(error.problems).toContain(problem)
  })
})
