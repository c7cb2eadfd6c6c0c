import { expect, test } from 'vitest'
import { AbsentFields, findAbsentFields } from '../../../../stages/input/render/absent-fields.js'
import { compileTemplate } from '../../../../stages/input/render/template.js'

const columns = ['question', 'hint', 'other']

const find = (template: string, doc: Record<string, unknown>) => {
  const compiled = compileTemplate(template)
  const read = [...compiled.variables.required, ...compiled.variables.optional].filter(name => columns.includes(name))
  return findAbsentFields(doc, { read, columns, literals: [template] }, () => [
    { role: 'user', content: [{ type: 'text', text: compiled.render(doc) }] },
  ])
}

test.each([
  ['{{question}}', { question: null }, ['question']],
  ['{{question}} {{hint}}', { question: 'a', hint: null }, ['hint']],
  ['Answer None if unsure: {{question}} {{hint}}', { question: 'None of them?', hint: null }, ['hint']],
  ['{{question}}{% if hint %} {{hint}}{% endif %}', { question: 'a', hint: null }, []],
  ['{{question}} {{hint or ""}}', { question: 'None of them?', hint: null }, []],
  ['{{question}}', { question: 'None of them?', hint: null }, []],
  ['{{question}} None', { question: 'a', hint: null }, []],
  ['{{question}}', { question: '', hint: null }, []],
])('template %j with %j prints nothing for %j', (template, doc, fields) => {
  expect(find(template, doc)).toEqual(fields)
})

test('a function that prints undefined or null is noticed, too', () => {
  const findIn = (doc: Record<string, unknown>, text: string) =>
    findAbsentFields(doc, { read: undefined, columns, literals: [] }, () => [
      { role: 'user', content: [{ type: 'text', text }] },
    ])
  expect(findIn({ question: 'a', hint: 'b' }, 'undefined')).toEqual(['other'])
  expect(findIn({ question: 'is undefined null?', hint: 'b', other: 'c' }, 'is undefined null?')).toEqual([])
  expect(findIn({ question: 'is undefined?', hint: 'b', other: null }, 'is undefined?')).toEqual([])
})

test('counts docs by field, and names the first', () => {
  const absent = new AbsentFields()
  absent.add(undefined, 'a')
  absent.add(['question'], 'b')
  absent.add(['hint'], 'c')
  absent.add(['hint'], 'd')
  expect(absent.describe('m')).toEqual([
    'm: the prompt of 1 doc prints a word such as None, because its row has no "question": b. Fill it in, or write {% if question %} around it',
    'm: the prompt of 2 docs prints a word such as None, because their rows have no "hint": the first is c. Fill it in, or write {% if hint %} around it',
  ])
})
