import { parseDocument } from 'yaml'
import { expect, test } from 'vitest'
import { commandLine } from '../../../src/cli/command-line-words.js'
import { spellReferences } from '../../../base/errors/option-words.js'
import { listYamlProblems } from '../../../base/values/yaml-problems.js'

function listProblems(text: string): readonly string[] {
  const document = parseDocument(text, { prettyErrors: false, version: '1.1', logLevel: 'error' })
  const words = { name: 'd.jsonl', secondDocument: 'a second document begins here' }
  return listYamlProblems(document, text, document.errors, words).map(
    ({ offset, message }) => `${text.slice(0, offset).split('\n').length}  ${spellReferences(message, commandLine)}`,
  )
}

const cure = 'a template needs quotes around the whole value: '

test.each([
  ['{{question}}', [`2  ${cure}doc_to_text: "{{question}}"`]],
  ['{{ doc.question }}', [`2  ${cure}doc_to_text: "{{ doc.question }}"`]],
  ['{{question}} Answer:', [`2  ${cure}doc_to_text: "{{question}} Answer:"`]],
  ['{{question}} {{answer}}', [`2  ${cure}doc_to_text: "{{question}} {{answer}}"`]],
  ['{% if a %}{{a}}{% endif %}', [`2  ${cure}doc_to_text: "{% if a %}{{a}}{% endif %}"`]],
  ['Q: {{question}}', [`2  ${cure}doc_to_text: "Q: {{question}}"`]],
  ['[{{a}}, b]', [`2  ${cure}"{{question}}"`]],
  ['Q: what', ['2  a value with ": " in it needs quotes']],
  ['@question', ['2  a value that begins with @ needs quotes']],
  ['`question`', ['2  a value that begins with ` needs quotes']],
  ['*', ['2  a value that begins with * needs quotes']],
  ['[a, b', ['3  the closing ] is missing']],
  ['{a: b', ['3  the closing } is missing']],
  ['"a" b', ['2  nothing may follow this value on its line: put the whole value in quotes']],
  ['"{{question}}"', []],
  ['{a: {b: 1}}', []],
  ['[{a: 1}, [b]]', []],
])('explains doc_to_text: %s in one line', (value, expected) => {
  expect(listProblems(`task: t\ndoc_to_text: ${value}\noutput_type: generate_until\ntarget: a\n`)).toEqual(expected)
})

test('says once that a file of data is no YAML, with the command that writes a task for it', () => {
  const rows = Array.from({ length: 90 }, (_, id) => JSON.stringify({ id, question: 'a: b?', answer: ['x'] }))
  const advice = 'which is data and no YAML. Write a task for it: pipeline tasks new NAME --from d.jsonl'
  expect(listProblems(rows.join('\n'))).toEqual([`1  this is JSON lines, ${advice}`])
  expect(listProblems('id,question,answer\n1,"a: b",c\n')).toEqual([`1  this is a table, ${advice}`])
  expect(listProblems('a: 1\nb: [x, y]\n')).toEqual([])
  expect(listProblems('{"a": 1}\n')).toEqual([])
})

test.each([
  ['a: b\n\tc: d\n', '2  a tab is no indentation in YAML: write spaces'],
  ['a: 1\na: 2\n', '2  this key stands twice: keep one of them'],
  ['a:\n   b: 1\n  c: 2\n', '3  this line is not indented as the lines that it belongs to'],
])('explains %j in words of its writer', (text, expected) => {
  expect(listProblems(text)[0]).toBe(expected)
})
