import { expect, test } from 'vitest'
import { taskOverrides } from '../../../../src/config/values/task-overrides.js'

const read = (...texts: readonly string[]) =>
  texts.reduce<ReturnType<typeof taskOverrides.read> | undefined>(
    (before, text) => taskOverrides.read(text, before, '--override'),
    undefined,
  )

test('reads values as YAML and templates as texts, and collects overrides by task', () => {
  expect(read('mme.num_fewshot=2', 'mme.doc_to_text={{question}} = ?', '*.metric_list=[{metric: contains}]')).toEqual({
    mme: { num_fewshot: 2, doc_to_text: '{{question}} = ?' },
    '*': { metric_list: [{ metric: 'contains' }] },
  })
  expect(read('mmlu.pro.description=')).toEqual({ 'mmlu.pro': { description: null } })
})

test('rejects a text without task, key and value', () => {
  expect(() => read('num_fewshot=2')).toThrow('--override: expected TASK.KEY=VALUE, given "num_fewshot=2"')
})
