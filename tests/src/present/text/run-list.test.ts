import { expect, test } from 'vitest'
import type { Aggregate, Judgement } from '../../../../cache/records.js'
import { paintFor, plain } from '../../../../src/present/text/layout/paint.js'
import { displayWidth } from '../../../../src/present/text/layout/width.js'
import { runList, runPage, type ListedRun } from '../../../../src/present/text/run-list.js'
import { aggregate, counts, someRun } from '../../../support/report-data.js'

const address = 'http://gpu-node-17.cluster.example.org:8000/v1'

const judgement = (number: number, aggregates?: readonly Aggregate[]): Judgement => ({
  ref: number,
  run: 1,
  number,
  tasks: [],
  createdAt: number,
  ...(aggregates && { aggregates, finishedAt: number + 1 }),
})

const listed = (model: string, judgements: readonly Judgement[], tasks = ['shapes_vqa']): ListedRun => ({
  run: {
    ...someRun,
    asked: {
      ...someRun.asked,
      tasks: tasks.map(name => ({ ...someRun.asked.tasks[0]!, name })),
      model: { backend: 'openai', args: { base_url: address, model } },
    },
  },
  tags: [],
  counts: counts(),
  judgements,
  batches: [],
})

const models = ['Qwen/Qwen2.5-VL-3B-Instruct-AWQ', 'Qwen/Qwen2.5-VL-7B-Instruct-AWQ', 'Qwen/Qwen2-VL-7B-Instruct-AWQ']

test.each([80, 100, 160])('a list of %i columns distinguishes models of one family and shows their scores', columns => {
  const runs = models.map((model, index) => listed(model, [judgement(1, [aggregate({ value: index / 10 })])]))
  const lines = runList(
    runs,
    paintFor(false, () => columns),
  )
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns)
  const text = lines.join('\n')
  for (const score of ['0.000', '0.100', '0.200']) expect(text).toContain(score)
  expect(text).not.toContain('gpu-node')
  // A name may be wrapped, but none of its characters is left out.
  const column = lines[0]!.indexOf('model')
  const end = lines[0]!.indexOf('tasks')
  const names = lines
    .slice(1)
    .map(line => line.slice(column, end).trim())
    .join('')
  for (const model of models) expect(names.replaceAll(' ', '')).toContain(model)
})

test('shows the first score of the newest finished judgement, with its task if there are others', () => {
  const two = [aggregate({ task: 'a', value: 0.25 }), aggregate({ task: 'b', value: 0.5 })]
  const grouped = [...two, aggregate({ task: 'all', metric: 'mean', value: 0.375, of: ['a', 'b'] })]
  const byField = aggregate({ value: 0.1, group: { field: 'type', label: 'x' } })
  const row = (judgements: readonly Judgement[], tasks?: string[]) =>
    runList([listed('m', judgements, tasks)], plain)[1]
  expect(row([])).toMatch(/ – +complete/)
  expect(row([judgement(1)])).toMatch(/ – +complete/)
  expect(row([judgement(1, [byField, aggregate({ value: 0.9 })]), judgement(2)])).toMatch(/ exact_match +0\.900 /)
  expect(row([judgement(1, two)], ['a', 'b'])).toMatch(/a \+1 .* a exact_match +0\.250 /)
  expect(row([judgement(1, grouped)], ['a', 'b'])).toMatch(/ all mean +0\.375 /)
})

test('keeps an address if nothing else identifies the model', () => {
  const run = listed('m', [])
  const unnamed = { ...run.run, asked: { ...run.run.asked, model: { backend: 'openai', args: { base_url: address } } } }
  const provenance = { ...unnamed.provenance, config: { ...unnamed.provenance.config, model_args: {} } }
  expect(runList([{ ...run, run: { ...unnamed, provenance } }], plain)[1]).toContain('gpu-node-17')
})

test('shows why a run stopped in one or two words, and on its page in a sentence', () => {
  const at = Date.parse('2026-05-06T10:00:00')
  const stopped = { code: 'interrupted', message: 'It was interrupted: Ctrl-C (SIGINT).', at } as const
  const run = { ...listed('m', []), counts: counts({ answered: 612, pending: 288 }), stopped }
  expect(runList([run], plain)[1]).toContain(' 288 to ask (interrupted) ')
  expect(runPage(run, plain).join('\n')).toMatch(
    /\nstate +288 to ask\nstopped +2026-05-06 10:00: It was interrupted: Ctrl-C \(SIGINT\)\.\n/,
  )
  // The numbers say the same.
  const few = { ...run, stopped: { ...stopped, code: 'requests_failed' } as const }
  expect(runList([few], plain)[1]).toContain(' 288 to ask ')
  expect(runList([few], plain)[1]).not.toContain('(')
})
