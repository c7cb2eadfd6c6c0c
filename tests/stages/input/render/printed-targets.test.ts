/** Values are printed in one way, Python's, wherever a task shows, compares or groups by them. */
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import type { JudgeRecord } from '../../../../cache/records.js'
import { prepareTask } from '../../../../stages/input/prepare-task.js'
import { loadTask } from '../../../../stages/input/tasks/load-task.js'
import { listReferences } from '../../../../stages/judge/define/target.js'
import { readLabels } from '../../../../stages/judge/score-marks.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()

interface Made {
  readonly prompt: string
  readonly record: JudgeRecord
  readonly continuations: readonly (string | undefined)[]
}

async function madeOf(yaml: string): Promise<readonly Made[]> {
  const file = await folder.write('t.yaml', `task: t\nmetric_list: [{metric: exact_match}]\n${yaml}`)
  const task = await prepareTask(await loadTask(file, { cacheDir: folder.path('cache') }))
  const choose = task.examples?.()
  const made: Made[] = []
  for await (const doc of task.docs()) {
    const rendered = task.renderer.render(doc, choose?.(doc))
    if (rendered.type === 'failed') throw new Error(rendered.reason)
    const parts = rendered.messages.flatMap(({ content }) => content)
    const prompt = parts.map(part => (part.type === 'text' ? part.text : '')).join('')
    made.push({ prompt, record: rendered.record, continuations: rendered.continuations })
  }
  return made
}

const jsonLines = '{"v": true}\n{"v": false}'
const decimals = {
  schema: [
    { name: 'root', num_children: 1 },
    { name: 'v', type: 'INT64' as const, converted_type: 'DECIMAL' as const, scale: 2, precision: 10 },
  ],
  columnData: [{ name: 'v', data: [150n, 10000n] }],
}
const parquet = (data: unknown[], type: 'DOUBLE' | 'BOOLEAN' | 'INT32'): Uint8Array =>
  new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'v', data, type }] }))

/** Files with a column `v`, and its texts. */
const files: readonly (readonly [string, content: string | Uint8Array, texts: readonly string[]])[] = [
  ['bool.jsonl', jsonLines, ['True', 'False']],
  ['float.jsonl', '{"v": 3.0}\n{"v": 0.5}\n{"v": 1e-7}\n{"v": 1e16}', ['3.0', '0.5', '1e-07', '1e+16']],
  ['whole.jsonl', '{"v": 3}\n{"v": -1}', ['3', '-1']],
  ['object.jsonl', '{"v": {"a": 1.0, "b": [null, "x"]}}', ["{'a': 1.0, 'b': [None, 'x']}"]],
  ['bool.csv', 'v\nTrue\nFalse\n', ['True', 'False']],
  ['float.csv', 'v\n3.0\n0.0000001\n', ['3.0', '1e-07']],
  ['bool.parquet', parquet([true, false], 'BOOLEAN'), ['True', 'False']],
  ['double.parquet', parquet([3, 1e-7], 'DOUBLE'), ['3.0', '1e-07']],
  ['whole.parquet', parquet([3, -1], 'INT32'), ['3', '-1']],
  ['decimal.parquet', new Uint8Array(parquetWriteBuffer(decimals)), ['1.50', '100.00']],
]

describe.each(files)('a column of %s', (name, content, texts) => {
  const task = (lines: string): Promise<readonly Made[]> => madeOf(`dataset_path: ./${name}\n${lines}`)

  test('prints the same text in a prompt, a target and a label', async () => {
    await folder.write(name, content)
    const column = await task('doc_to_text: "{{v}}"\ndoc_to_target: v\nbreakdown: [v]\ncluster_key: v\n')
    expect(column.map(({ prompt }) => prompt)).toEqual(texts)
    expect(column.map(({ record }) => listReferences(record))).toEqual(texts.map(text => [text]))
    expect(column.map(({ record }) => readLabels(record, ['v']))).toEqual(texts.map(text => ({ v: text })))
    const template = await task('doc_to_text: "{{v}}"\ndoc_to_target: "{{v}}"\n')
    expect(template.map(({ record }) => listReferences(record))).toEqual(texts.map(text => [text]))
  })

  test('prints it as the continuation of a likelihood request', async () => {
    await folder.write(name, content)
    const likely = await task('output_type: loglikelihood\ndoc_to_text: "Q:"\ndoc_to_target: v\n')
    expect(likely.map(({ continuations }) => continuations)).toEqual(texts.map(text => [text]))
  })
})

test('an example of a Boolean or float column prints as in Python', async () => {
  await folder.write('two.jsonl', '{"b": true, "f": 3.0}\n{"b": false, "f": 0.5}\n')
  const shots = (column: string) =>
    madeOf(
      `dataset_path: ./two.jsonl\ndoc_to_text: "Q:"\ndoc_to_target: ${column}\nnum_fewshot: 1\nfewshot_config: {sampler: first_n}\nfewshot_delimiter: "|"\n`,
    )
  expect((await shots('b'))[1]?.prompt).toBe('Q: True|Q:')
  expect((await shots('f'))[1]?.prompt).toBe('Q: 3.0|Q:')
})

test.each([
  ['v', '[true]', ['True']],
  ['"{{v}}"', '[true]', ['True']],
  ['v', '[1.0, 0.5]', ['1.0', '0.5']],
  ['"{{v}}"', '[1.0, 0.5]', ['1.0', '0.5']],
  ['v', '[null, 2]', ['2']],
  ['"{{v}}"', '[null, 2]', ['2']],
  ['v', '[1152921504606846977, 2]', ['1152921504606846977', '2']],
  ['"{{v}}"', '[1152921504606846977, 2]', ['1152921504606846977', '2']],
  ['v', '[[1.0, 2]]', ['[1.0, 2.0]']],
  ['"{{v}}"', '[[1.0, 2]]', ['[1.0, 2.0]']],
])('the items of a list are targets: %s of %s', async (target, value, texts) => {
  await folder.write('list.jsonl', `{"v": ${value}}\n`)
  const [made] = await madeOf(`dataset_path: ./list.jsonl\ndoc_to_text: "Q:"\ndoc_to_target: ${target}\n`)
  expect(listReferences(made!.record)).toEqual(texts)
})

test('functions and numeric metrics get the JSON value of a target', async () => {
  await folder.write('box.jsonl', '{"v": [1.0, 2.5, 3, 4]}\n')
  for (const target of ['v', '"{{v}}"']) {
    const [made] = await madeOf(`dataset_path: ./box.jsonl\ndoc_to_text: "Q:"\ndoc_to_target: ${target}\n`)
    expect(made?.record.target).toEqual([1, 2.5, 3, 4])
  }
})

test.each([
  ['[true, false]', 'true', ['True', 'False'], 0],
  ['[1.0, 0.5]', '0.5', ['1.0', '0.5'], 1],
  ['[1.0, 2.0]', '"1.0"', ['1.0', '2.0'], 0],
  ['["a", "b"]', '1.0', ['a', 'b'], 1],
])('prints choices %s the same way, and finds the target %s among them', async (choices, target, texts, index) => {
  await folder.write('choices.jsonl', `{"c": ${choices}, "v": ${target}}\n`)
  for (const key of ['c', '"{{c}}"']) {
    const lines = `output_type: multiple_choice\ndoc_to_text: "Q:"\ndoc_to_choice: ${key}\ndoc_to_target: v\n`
    const [made] = await madeOf(`dataset_path: ./choices.jsonl\n${lines}`)
    expect(made?.record).toMatchObject({ choices: texts, target: index })
  }
})
