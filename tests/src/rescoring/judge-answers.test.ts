import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { judge, judgeAnswers, openStore, type EvaluatedRun } from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'
import { writeTextTask } from '../../support/text-task.js'

type Row = Readonly<Record<string, unknown>>

async function scene(rows: readonly Row[]) {
  const folder = await temporaryFolder()
  const task = await writeTextTask(join(folder, 'task'), 6)
  const file = join(folder, 'answers.jsonl')
  const write = (lines: readonly Row[]): Promise<void> =>
    writeFile(file, lines.map(row => `${JSON.stringify(row)}\n`).join(''))
  await write(rows)
  const notes: string[] = []
  const options = {
    tasks: [task],
    store: join(folder, 'store'),
    onEvent: (event: { readonly type: string }) => {
      if (event.type === 'note' && 'text' in event) notes.push(String(event.text))
    },
  }
  return { file, write, notes, options, run: (more = {}) => judgeAnswers(file, { ...options, ...more }) }
}

const metricOf = (run: EvaluatedRun<readonly string[]>) => run.of('echoes').metrics['exact_match']

const answerOf = (index: number): string => (index % 3 === 0 ? 'another' : `question ${index}`)
const rightRows = [0, 1, 2, 3, 4, 5].map(index => ({ doc_id: index, answer: answerOf(index) }))

test('scores all docs by the rules of the task, and the same file is the same run', async () => {
  const { run, notes, options, file } = await scene(rightRows)
  const first = await run()
  expect(metricOf(first)).toMatchObject({ value: 1, n: 6 })
  expect(first.failures).toEqual([])
  expect(notes).toEqual([])
  const again = await judgeAnswers(file, options)
  expect(again.run.name).toBe(first.run.name)
  expect(metricOf(await judge(first))).toMatchObject({ value: 1, n: 6 })
  const store = await openStore(options.store)
  expect(await store.runs.list()).toHaveLength(1)
  await store.close()
})

test('reports docs without an answer and unknown ids, and scores neither', async () => {
  const { run, notes } = await scene([
    ...rightRows.slice(0, 3),
    { doc_id: 3, answer: null },
    { doc_id: 77, answer: 'x' },
  ])
  const outcome = await run()
  expect(metricOf(outcome)).toMatchObject({ value: 1, n: 3 })
  expect(outcome.failures).toHaveLength(3)
  expect(notes).toEqual([
    'echoes: 3 docs of 6 without an answer, counted as failed and not scored: "3", "4", "5"',
    'echoes: 1 id of no doc, ignored: "77"',
  ])
})

test('treats several answers of a doc as repeats, and reports uneven numbers', async () => {
  const { run, notes } = await scene([...rightRows, { doc_id: 1, answer: 'wrong' }])
  const outcome = await run()
  expect(metricOf(outcome)?.n).toBe(6)
  expect(notes).toEqual([
    'echoes: 1 doc with several answers, which are its repeats; other docs have another number: "1"',
  ])
})

test('rejects duplicate numbered answers with their lines', async () => {
  const { run } = await scene([...rightRows.map(row => ({ ...row, sample: 0 })), { doc_id: 1, answer: 'x', sample: 0 }])
  await expect(run()).rejects.toThrow(/answers\.jsonl:7 {2}doc 1 has sample 0 already, in line 2/)
})

test('reads the named columns, and another column makes another run', async () => {
  const { run } = await scene(rightRows.map(({ doc_id, answer }) => ({ key: doc_id, mine: answer, other: 'no' })))
  await expect(run()).rejects.toThrow(/:1 {2}none of the columns doc_id, id, question_id, index is here, but key, mine/)
  const right = await run({ idColumn: 'key', answerColumn: 'mine' })
  const wrong = await run({ idColumn: 'key', answerColumn: 'other' })
  expect(metricOf(right)?.value).toBe(1)
  expect(metricOf(wrong)?.value).toBe(0)
  expect(wrong.run.name).not.toBe(right.run.name)
  await expect(run({ idColumn: 'nokey' })).rejects.toThrow(/the row has no column "nokey"/)
})

test('rejects a file whose ids match no doc, or whose rows are damaged', async () => {
  const { run, file } = await scene([{ id: 'a', answer: 'x' }])
  await expect(run()).rejects.toThrow(/no id is that of a doc of echoes: "a"\. Docs are named "0", "1"/)
  await writeFile(file, '{"id": "01", "answer": "x"}\n')
  await expect(run()).rejects.toThrow(/no id is that of a doc of echoes: "01"/)
  await writeFile(file, '{"id": "0", "answer": "x"}\n{"id": "1"}\n')
  await expect(run()).rejects.toThrow(/answers\.jsonl:2 {2}the row has no column "answer"/)
  await writeFile(file, '\n')
  await expect(run()).rejects.toThrow(/holds no answers/)
})

test('a changed file makes another run', async () => {
  const { run, write } = await scene(rightRows)
  const first = await run()
  await write(rightRows.map(row => ({ ...row, answer: 'no' })))
  const second = await run({ modelName: 'other-model' })
  expect(second.run.name).not.toBe(first.run.name)
  expect(metricOf(second)?.value).toBe(0)
})

test('scores only the docs of a limit or a list, and the others do not count as missing', async () => {
  const { run, notes } = await scene([...rightRows.slice(0, 5), { doc_id: 77, answer: 'x' }])
  const limited = await run({ limit: 2 })
  expect([metricOf(limited)?.n, limited.failures]).toEqual([2, []])
  expect(notes).toEqual(['echoes: 1 id of no doc, ignored: "77"'])
  const named = await run({ docs: ['4', '5'] })
  expect([metricOf(named)?.n, named.failures.length]).toEqual([1, 1])
  expect(new Set([limited, named, await run()].map(({ run: { name } }) => name)).size).toBe(3)
  await expect(run({ docs: ['nine'] })).rejects.toThrow('no doc of echoes has the id "nine"')
  await expect(run({ limit: 2, docs: ['4'] })).rejects.toThrow('says which docs are evaluated')
})

test('a group of tasks has its number, also when the answers are judged again', async () => {
  const folder = await temporaryFolder()
  await writeTextTask(folder, 6, 'echoes')
  await writeTextTask(folder, 6, 'more')
  const group = join(folder, 'both.yaml')
  const rules = 'aggregate_metric_list:\n  - {metric: exact_match, weight_by_size: false}\n'
  await writeFile(group, `group: both\ntask: [echoes, more]\n${rules}`)
  const file = join(folder, 'answers.jsonl')
  const rows = ['echoes', 'more'].flatMap(task => rightRows.map(row => ({ task, ...row })))
  await writeFile(file, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  const first = await judgeAnswers(file, { tasks: [group], store: join(folder, 'store'), includePaths: [folder] })
  const groupOf = (run: EvaluatedRun<readonly string[]>) =>
    run.judgement?.aggregates?.find(aggregate => aggregate.task === 'both')
  expect(groupOf(first)).toMatchObject({ value: 1, n: 12 })
  expect(groupOf(await judge(first, { includePaths: [folder] }))).toMatchObject({ value: 1, n: 12 })
})

test('stores nothing if the rules of a task have a mistake', async () => {
  const { run, options } = await scene(rightRows)
  const [task = ''] = options.tasks
  const text = await readFile(task, 'utf8')
  for (const rule of ['metric: exact_mach', 'metric: numeric_match\n    relative: far']) {
    await writeFile(task, text.replace('metric: exact_match', rule))
    await expect(run()).rejects.toThrow(/exact_mach|relative/)
  }
  const store = await openStore(options.store)
  expect(await store.runs.list()).toEqual([])
  await store.close()
})
