import { parquetWriteBuffer } from 'hyparquet-writer'
import { expect, test } from 'vitest'
import { floatsInJson } from '../../../../stages/input/datasets/json/json-floats.js'
import { prepareTask } from '../../../../stages/input/prepare-task.js'
import type { Prompting } from '../../../../stages/input/prompting.js'
import { compileTemplate } from '../../../../stages/input/render/template.js'
import { loadTask } from '../../../../stages/input/tasks/load-task.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()

/** The texts of the messages of each doc. */
async function promptsOf(yaml: string, prompting: Prompting = {}): Promise<readonly string[]> {
  const file = await folder.write('t.yaml', `task: t\nmetric_list: [{metric: bypass}]\n${yaml}`)
  const task = await prepareTask(await loadTask(file, { cacheDir: folder.path('cache') }), prompting)
  const choose = task.examples?.()
  const prompts: string[] = []
  for await (const doc of task.docs()) {
    const rendered = task.renderer.render(doc, choose?.(doc))
    if (rendered.type === 'failed') throw new Error(rendered.reason)
    const parts = rendered.messages.flatMap(({ content }) => content)
    prompts.push(parts.map(part => (part.type === 'text' ? part.text : '')).join('') + rendered.continuations.join('|'))
  }
  return prompts
}

const rows = [
  '{"i": 1, "f": 3.0, "m": 1, "l": [1e3, 2], "o": {"a": [{"b": 2.0}], "c": 7}, "t": "1.0"}',
  '{"i": 2, "f": 2.5, "m": 1.5, "l": [], "o": null, "t": "1.0"}',
]
const template = 'doc_to_text: "{{i}} {{f}} {{m}} {{l}} {{o}} {{t}}"\ndoc_to_target: t\n'
// Expected texts are rendered by jinja2 3.1.6 from data read by `datasets` 5.2.0.
const expected = ["1 3.0 1.0 [1000.0, 2.0] {'a': [{'b': 2.0}], 'c': 7} 1.0", '2 2.5 1.5 [] None 1.0']

test('prints all numbers of a JSON column with a fraction if one has a fraction', async () => {
  await folder.write('d.jsonl', rows.join('\n'))
  await folder.write('d.json', `[${rows.join(',\n')}]`)
  expect(await promptsOf(`dataset_path: ./d.jsonl\n${template}`)).toEqual(expected)
  expect(await promptsOf(`dataset_path: ./d.json\n${template}`)).toEqual(expected)
})

test('prints Parquet columns by their type', async () => {
  const columnData = [
    { name: 'f', data: [3, 2.5, null], type: 'DOUBLE' as const },
    { name: 'g', data: [1, 0.5, 1e20], type: 'FLOAT' as const },
    { name: 'i', data: [3, 2, null], type: 'INT32' as const },
  ]
  await folder.write('d.parquet', new Uint8Array(parquetWriteBuffer({ columnData })))
  const text = 'doc_to_text: "{{f}} {{g}} {{i}} {{ f | string }}"\ndoc_to_target: i\n'
  expect(await promptsOf(`dataset_path: ./d.parquet\n${text}`)).toEqual([
    '3.0 1.0 3 3.0',
    '2.5 0.5 2 2.5',
    'None 1.0000000200408773e+20 None None',
  ])
})

test('decimals are exact, usable in arithmetic and printed with all digits', async () => {
  const schema = [
    { name: 'root', num_children: 1 },
    { name: 'p', type: 'INT64' as const, converted_type: 'DECIMAL' as const, scale: 2, precision: 10 },
  ]
  const columnData = [{ name: 'p', data: [1999n, 57n, 123456789n, 10000n] }]
  await folder.write('d.parquet', new Uint8Array(parquetWriteBuffer({ schema, columnData })))
  const text = 'doc_to_text: "{{p}}{% if p > 50 %} {{ p * 1 }} {{ [p] | first }}{% endif %}"\ndoc_to_target: p\n'
  expect(await promptsOf(`dataset_path: ./d.parquet\n${text}`)).toEqual([
    '19.99',
    '0.57',
    '1234567.89 1234567.89 1234567.89',
    '100.00 100.0 100.00',
  ])
})

test('prints integers of a CSV column with a fraction if one has a fraction or one is missing', async () => {
  await folder.write('d.csv', 'a,b,c\n1,2,3\n4,0.5,\n')
  const text = 'doc_to_text: "{{a}} {{b}} {{c}}"\ndoc_to_target: a\n'
  expect(await promptsOf(`dataset_path: ./d.csv\n${text}`)).toEqual(['1 2.0 3.0', '4 0.5 None'])
})

test('prints choices, questions and examples of a column the same way', async () => {
  await folder.write('d.jsonl', '{"q": 1.0, "o": [1.0, 0.5], "a": 2.0}\n{"q": 3.0, "o": [2, 4], "a": 4.0}\n')
  const choices = 'output_type: multiple_choice\ndoc_to_text: q\ndoc_to_choice: o\ndoc_to_target: 0\n'
  expect(await promptsOf(`dataset_path: ./d.jsonl\n${choices}`)).toEqual(['1.0 1.0| 0.5', '3.0 2.0| 4.0'])
  const shot = 'doc_to_text: q\ndoc_to_target: a\nnum_fewshot: 1\nfewshot_config: {sampler: first_n}\n'
  const [, second] = await promptsOf(`dataset_path: ./d.jsonl\n${shot}`)
  expect(second).toBe('1.0 2.0\n\n3.0')
})

test('finds no floats in JSON strings or in invalid JSON', () => {
  expect(floatsInJson('{"a": "1.5", "b": "\\"2.5\\"", "c": [1, "3.5"], "d": 10}')).toEqual({})
  expect(floatsInJson('{"a": 1.5,')).toEqual({})
  expect(floatsInJson('{"a": 1E5, "b": {"c": -0.0}, "d": [[1], [2.0]]}')).toEqual({
    a: true,
    b: { fields: { c: true } },
    d: { items: { items: true } },
  })
})

test('a template calculates with floats as Python does', () => {
  const render = (source: string) => compileTemplate(source, { x: true }).render({ x: 4, n: 4 })
  expect(render('{{ x + 1 }} {{ x // 3 }} {{ n // 3 }} {{ x == n }} {{ x | int }} {{ [x, n] }}')).toBe(
    '5.0 1.0 1 True 4 [4.0, 4]',
  )
})
