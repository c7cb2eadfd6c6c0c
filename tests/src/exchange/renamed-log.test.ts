import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  compare,
  comparisonText,
  defineTask,
  evaluate,
  importLog,
  mockModel,
  rows,
  type ImportLogOptions,
  type Run,
} from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'

const logs = 'tests/fixtures/logs'
const colours = `${logs}/inspect/colours.eval`
const numbered = `${logs}/inspect/numbered.eval`

interface Question {
  readonly id?: string
  readonly question: string
  readonly answer: string
}

const capitals: readonly Question[] = [
  { question: 'Capital of France?', answer: 'Paris' },
  { question: 'Capital of Italy?', answer: 'Rome' },
  { question: 'Capital of Spain?', answer: 'Madrid' },
]

async function setup() {
  const folder = await temporaryFolder()
  const module = join(folder, 'capitals.task.ts')
  await writeFile(module, '// the code of the tasks below\n')
  const store = join(folder, 'store')
  const imported = async (log: string, options: ImportLogOptions): Promise<Run> => {
    const [landed] = await importLog(log, { store, ...options })
    if (landed === undefined) throw new Error('no run')
    return landed.outcome.run
  }
  const evaluated = async (docs: readonly Question[]): Promise<string> => {
    const task = defineTask({
      name: 'mine',
      module,
      dataset: rows(docs.map(doc => ({ ...doc }))),
      prompt: doc => doc.question,
      target: doc => doc.answer,
      metrics: { exact: ({ text, target }) => text === target },
    })
    const model = mockModel({ reply: ({ text }) => (text.includes('Italy') ? 'Rome' : 'Paris'), version: '1' })
    return (await evaluate({ store, model, tasks: [task] })).run.name
  }
  return { store, imported, evaluated }
}

describe('a log of another tool with new names', () => {
  it('is compared with a run of the same ids', async () => {
    const { store, imported, evaluated } = await setup()
    const log = await imported(colours, { tasks: { colours: 'mine' }, metrics: { match: 'exact' } })
    expect(log.asked.tasks.map(({ name }) => name)).toEqual(['mine'])
    const ours = await evaluated([
      { id: 'capital', question: 'Capital of France?', answer: 'Paris' },
      { id: 'sum', question: 'What is 2+2?', answer: '4' },
    ])
    const { metrics, notes } = await compare(log.name, ours, { store })
    expect(metrics).toMatchObject([{ task: 'mine', metric: 'exact', n: 2, onlyOne: 1 }])
    expect(notes).toEqual([])
  })

  it('is paired by index if Inspect numbered its samples', async () => {
    const { store, imported, evaluated } = await setup()
    const log = await imported(numbered, { tasks: 'mine', metrics: { match: 'exact' } })
    const ours = await evaluated(capitals)
    const compared = await compare(log.name, ours, { store })
    expect(compared.metrics).toMatchObject([{ n: 3, onlyOne: 0, improved: ['1'], worsened: ['2'] }])
    expect(comparisonText(compared)).toContain('mine: docs are paired by their index, because a log numbers them')
    const named = await evaluated(capitals.map((doc, index) => ({ ...doc, id: `q${index}` })))
    expect((await compare(named, log.name, { store })).metrics).toMatchObject([{ n: 3, worsened: ['2'] }])
    expect((await compare(log.name, named, { store })).metrics).toMatchObject([{ n: 3, improved: ['q1'] }])
  })

  it('reports that no id is in both runs, or that targets differ', async () => {
    const { store, imported, evaluated } = await setup()
    const log = await imported(colours, { tasks: 'mine', metrics: { match: 'exact' } })
    const others = await evaluated(capitals.map((doc, index) => ({ ...doc, id: `q${index}` })))
    const none = await compare(log.name, others, { store })
    expect(none.notes[0]).toMatch(
      /^mine: no doc has the same id in both runs\. .* has .*capital.*, and .* has q0, q1, q2\.$/,
    )
    const wrong = await evaluated([{ id: 'capital', question: 'Capital of Italy?', answer: 'Rome' }])
    expect((await compare(log.name, wrong, { store })).notes[0]).toBe(
      'mine: 1 doc of 1 have another target in the other run, such as capital ("Paris" and "Rome").',
    )
  })

  it('becomes another run, which shares its answers with the log under its original names', async () => {
    const { store, imported } = await setup()
    const first = await imported(colours, {})
    const [second] = await importLog(colours, { store, metrics: { match: 'exact' } })
    expect(second?.outcome).toMatchObject({ isNew: true, added: { responses: 0, scores: 3 }, conflicts: [] })
    expect(second?.outcome.run.id).not.toBe(first.id)
    const [again] = await importLog(colours, { store, metrics: { match: 'exact' } })
    expect(again?.outcome).toMatchObject({ isNew: false, added: { scores: 0 } })
  })

  it('renames a metric with all of its filters, or with one', async () => {
    const { store } = await setup()
    const metricsOf = async (metrics: Record<string, string>): Promise<readonly string[]> => {
      const [landed] = await importLog(`${logs}/lmms-eval`, { store, tasks: { syn_exact: 'other' }, metrics })
      expect(landed?.outcome.run.asked.tasks.map(({ name }) => name)).toEqual(['other', 'syn_letter'])
      return Object.keys(await scoresOf(store, landed?.outcome.run.name ?? ''))
    }
    expect(await metricsOf({ exact_match: 'em' })).toEqual(
      expect.arrayContaining(['other em,strict', 'other em,loose']),
    )
    expect(await metricsOf({ 'exact_match,strict': 'em', by_gate: 'gates' })).toEqual(
      expect.arrayContaining(['other em', 'other exact_match,loose', 'syn_letter gates']),
    )
  })

  it.each<readonly [ImportLogOptions, string]>([
    [{ tasks: { colour: 'mine' } }, 'the log has no task "colour", which --task renames\n  tasks of the log: colours'],
    [
      { metrics: { m: 'n' } },
      'the log has no metric "m", which --metric renames\n  metrics of the log: match, includes',
    ],
    [{ metrics: { match: 'includes' } }, 'metrics "match" and "includes" would both be named "includes"'],
  ])('rejects %j if the log does not allow it', async (names, message) => {
    const { store } = await setup()
    await expect(importLog(colours, { store, ...names })).rejects.toThrow(message)
  })

  it('needs the name of the task if the log has several', async () => {
    const { store } = await setup()
    await expect(importLog(`${logs}/lmms-eval`, { store, tasks: 'mine' })).rejects.toThrow(
      'has several tasks (syn_exact, syn_letter, …): write --task NAME=mine',
    )
  })
})

async function scoresOf(store: string, run: string): Promise<Record<string, true>> {
  const { metrics } = await compare(run, run, { store })
  return Object.fromEntries(metrics.map(({ task, metric }) => [`${task} ${metric}`, true]))
}
