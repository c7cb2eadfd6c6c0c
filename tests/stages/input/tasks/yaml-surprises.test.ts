import { expect, test } from 'vitest'
import { parseYamlFile } from '../../../../stages/input/tasks/yaml/yaml-file.js'

test.each([
  'yes',
  'Yes',
  'YES',
  'no',
  'on',
  'off',
  'Off',
  'true',
  'False',
  'null',
  '~',
  '1.0',
  '1.10',
  '1_000',
  '007',
  "'yes'",
  '"no"',
])('a key of a mapping is the text that stands in the file: %s', key => {
  const bare = key.replace(/^(['"])(.*)\1$/, '$2')
  const nested = parseYamlFile(`a:\n  - b:\n      ${key}: 1\n      other: 2\n`, 't.yaml')
  expect(nested).toMatchObject({ problems: [], notes: [] })
  expect(nested.values['a']).toEqual([{ b: { [bare]: 1, other: 2 } }])
  expect(parseYamlFile(`a: {${key}: x}\n`, 't.yaml').values['a']).toEqual({ [bare]: 'x' })
  expect(parseYamlFile(`${key}: 1\n`, 't.yaml').values).toEqual({ [bare]: 1 })
})

test('keys that were equal as truth values are different texts', () => {
  const { values, problems } = parseYamlFile('a: {yes: 1, true: 2, on: 3}\n', 't.yaml')
  expect(problems).toEqual([])
  expect(values['a']).toEqual({ yes: 1, true: 2, on: 3 })
})

test.each([
  ["doc_to_text: '{{q}}\\nAnswer:'", 't.yaml:1:14'],
  ['doc_to_text: Q\\nAnswer', 't.yaml:1:14'],
  ['doc_to_text: |\n  {{q}}\\n\\nAnswer:', 't.yaml:1:14'],
  ["doc_to_text: '{{q}}\\t|'", 't.yaml:1:14'],
  ["doc_to_choice: ['a\\nb', c]", 't.yaml:1:17'],
  ["fewshot_delimiter: '\\n\\n'", 't.yaml:1:20'],
  ["target_delimiter: '\\n'", 't.yaml:1:19'],
  ["description: 'Read.\\n'", 't.yaml:1:14'],
  ["generation_kwargs: {until: ['\\n\\n']}", 't.yaml:1:29'],
  ["lmms_eval_specific_kwargs: {default: {post_prompt: '\\nShort.'}}", 't.yaml:1:52'],
  ["fewshot_config: {doc_to_text: '{{q}}\\nA:'}", 't.yaml:1:31'],
])('an escape that YAML does not read is noted with its position: %s', (text, position) => {
  const { notes, problems } = parseYamlFile(text, 't.yaml')
  expect(problems).toEqual([])
  expect(notes).toHaveLength(1)
  expect(notes[0]).toContain(`${position}  `)
  expect(notes[0]).toContain('double quotes')
})

test.each([
  'doc_to_text: "{{q}}\\nAnswer:"',
  'doc_to_text: \'{{ q + "\\n" }}\'',
  'doc_to_text: \'{% if q %}{{ "\\t".join(q) }}{% endif %}\'',
  "doc_to_text: 'Find \\nabla f, x \\neq y, \\theta and \\text{a}.'",
  "doc_to_text: 'C:\\\\new'",
  "filter_list: [{name: a, filter: [{function: regex, regex_pattern: 'a\\n(.*)'}]}]",
  'doc_to_text: !function utils.text',
  "metric_list: [{metric: exact_match, regexes_to_ignore: ['\\n']}]",
])('other backslashes are no note: %s', text => {
  expect(parseYamlFile(text, 't.yaml').notes).toEqual([])
})
