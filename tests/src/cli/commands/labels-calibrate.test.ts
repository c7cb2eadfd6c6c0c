import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { calibrate, evaluate, type JudgeCalibration } from '../../../../src/index.js'
import { defineLabels } from '../../../../src/cli/commands/labels.js'
import { readLabelRows } from '../../../../src/reading/calibration/read-label-rows.js'
import { estimatePpiMean } from '../../../../stages/judge/statistics/ppi/ppi-mean.js'
import { runCommand } from '../../../support/command.js'
import { temporaryFolder } from '../../../support/store.js'
import { writeTextTask } from '../../../support/text-task.js'

/** Stores a run of 60 docs, of which two thirds are right by the metric, and a file with labels of the first 30 docs. */
async function labelRun() {
  const folder = await temporaryFolder()
  const [task, store] = [await writeTextTask(folder, 60), join(folder, 'store')]
  const run = await evaluate({ store, model: 'dummy', modelArgs: { mode: 'echo' }, tasks: [task] })
  const file = join(folder, 'labels.csv')
  // People disagree with the metric on docs 0 and 1, and are undecided about doc 2.
  const labels = Array.from({ length: 30 }, (_, i) => {
    const isRight = i % 3 !== 0
    return i === 2 ? 'unclear' : isRight === i > 1 ? 'right' : 'wrong'
  })
  await writeFile(file, ['doc_id,label', ...labels.map((label, i) => `${i},${label}`), '999,right'].join('\n'))
  return { store, run, file }
}

test('labels of a file give the table, the agreement, and the estimate from labels and judge', async () => {
  const { store, run, file } = await labelRun()
  const { data } = await runCommand(defineLabels, ['calibrate', 'last', '--store', store, '--labels', file, '--json'])
  const found = JSON.parse(data) as JudgeCalibration
  expect(found.unmatched).toBe(1)
  const [task] = found.tasks
  expect(task).toMatchObject({ task: 'echoes', metric: 'exact_match', docs: 60, labelled: 29, unclear: 1 })
  expect(task?.table).toEqual({ bothRight: 18, judgeTooStrict: 1, judgeTooLenient: 1, bothWrong: 9 })
  expect(task?.agreement).toBeCloseTo(27 / 29, 12)
  expect(task?.people).toMatchObject([{ author: 'unnamed', right: 19, wrong: 10, unclear: 1 }])
  expect(task?.kappa?.kappa).toBeCloseTo(0.847, 3)
  expect(task?.judgeMean).toBeCloseTo(2 / 3, 12)
  expect(task?.humanMean?.mean).toBeCloseTo(19 / 29, 12)
  const isRight = (i: number): number => Number(i % 3 !== 0)
  const labelled = Array.from({ length: 30 }, (_, i) => i).filter(i => i !== 2)
  const expected = estimatePpiMean({
    labels: labelled.map(i => (i < 2 ? 1 - isRight(i) : isRight(i))),
    judged: labelled.map(isRight),
    unlabelled: [2, ...Array.from({ length: 30 }, (_, i) => 30 + i)].map(isRight),
  })
  expect(task?.estimate?.mean).toBeCloseTo(expected.mean, 12)
  expect(task?.judgeWorth).toBeCloseTo(expected.effectiveLabels - 29, 9)
  const rows = await readLabelRows('{"doc_id": 3, "label": "right"}\n{"doc_id": "4", "label": "wrong"}\n', 'x.jsonl')
  expect((await calibrate(run, { labels: rows })).tasks[0]?.labelled).toBe(2)
})

test('the text says how many labels the judge is worth', async () => {
  const { store, file } = await labelRun()
  const { text } = await runCommand(defineLabels, ['calibrate', 'last', '--store', store, '--labels', file])
  expect(text).toContain('29 labels of 60 docs')
  expect(text).toMatch(/this judge is worth \d+ human labels/)
  expect(text).toMatch(/right by both \(PPI\+\+, weight 0\.\d+\): 0\.\d+ \(0\.\d+ – 0\.\d+\)/)
  expect(text).toContain('1 row of the file left out')
})

test('compares labels of the store, and takes the majority of several authors', async () => {
  const { store } = await labelRun()
  const say = (doc: number, label: string, author: string) =>
    runCommand(defineLabels, ['add', 'last', `echoes/${doc}`, label, '--author', author, '--store', store])
  await say(0, 'right', 'Ada')
  await say(0, 'right', 'Bob')
  await say(0, 'wrong', 'Eve')
  await say(1, 'right', 'Ada')
  await say(2, 'right', 'Ada')
  await say(2, 'wrong', 'Bob')
  await say(3, 'wrong', 'Bob')
  const { data } = await runCommand(defineLabels, ['calibrate', 'last', '--store', store, '--json'])
  const [task] = (JSON.parse(data) as JudgeCalibration).tasks
  expect(task).toMatchObject({ labelled: 3, unclear: 1 })
  expect(task?.table).toEqual({ bothRight: 1, judgeTooStrict: 1, judgeTooLenient: 0, bothWrong: 1 })
  expect(task?.alphaOfPeople).toBeTypeOf('number')
  expect(task?.people.map(({ author, right, wrong }) => [author, right, wrong])).toEqual([
    ['Ada', 3, 0],
    ['Bob', 1, 2],
    ['Eve', 0, 1],
  ])
  expect(task?.pairs.map(({ authors, docs, agreement }) => [...authors, docs, agreement])).toEqual([
    ['Ada', 'Bob', 2, 0.5],
    ['Ada', 'Eve', 1, 0],
    ['Bob', 'Eve', 1, 0],
  ])
  await say(3, 'right', 'Bob')
  const { text } = await runCommand(defineLabels, ['calibrate', 'last', '--store', store])
  expect(text).toMatch(/Ada +3 +0 +0/)
  expect(text).toContain('Ada and Bob agree on 50 % of 2 docs')
  expect(text).toContain('right by the labels alone: 1.000 (0.439 – 1.000)')
})

test('rejects a run without labels and a file with mistakes, and says what to do', async () => {
  const { store } = await labelRun()
  await expect(runCommand(defineLabels, ['calibrate', 'last', '--store', store])).rejects.toThrow('has a label')
  await expect(readLabelRows('{"doc_id": 1, "label": "maybe"}\nno json\n', 'my.jsonl')).rejects.toThrow('my.jsonl:1')
  await expect(readLabelRows('id,label\n1,right\n', 'my.csv')).rejects.toThrow('the columns doc_id and label')
  await expect(readLabelRows('doc_id,label\n"1,right\n', 'my.csv')).rejects.toThrow('my.csv:2')
})

test('uses the last label of an author, and ignores a withdrawn label', async () => {
  const text = 'task,doc_id,label,author\nt,1,right,Ada\nt,1,wrong,Ada\nt,2,right,Ada\n'
  expect(await readLabelRows(text, 'x.csv')).toEqual([
    { task: 't', doc: '1', label: 'wrong', author: 'Ada' },
    { task: 't', doc: '2', label: 'right', author: 'Ada' },
  ])
  expect(await readLabelRows('{"doc_id":"1","label":"right"}\n{"doc_id":"1","label":null}\n', 'x.jsonl')).toEqual([])
})

test('a kappa of fewer than ten labels has no interval', async () => {
  const { store, file } = await labelRun()
  await writeFile(file, 'doc_id,label\n1,wrong\n')
  const { text } = await runCommand(defineLabels, ['calibrate', 'last', '--store', store, '--labels', file])
  expect(text).toContain("Cohen's kappa 0.000 (too few labels for an interval), Krippendorff's alpha")
})
