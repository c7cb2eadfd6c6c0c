import { describe, expect, it } from 'vitest'
import { makeRenderer } from '../../../../stages/input/render/renderer.js'
import type { Doc } from '../../../../stages/input/tasks/doc.js'
import { loadTask } from '../../../../stages/input/tasks/load-task.js'
import { builtinTask } from '../../../support/builtin-task.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()
const question = { question: 'How many?' }

async function rendered(lines: string, doc: Doc, examples?: readonly Doc[]) {
  const yaml = `task: t\ndataset_path: d.jsonl\ndoc_to_text: question\nmetric_list: []\n${lines}\n`
  const task = await loadTask(await folder.write('t.yaml', yaml), { cacheDir: folder.path('cache') })
  return makeRenderer(task, Object.keys(doc)).render(doc, examples)
}

/** The target of a doc of a task with these lines, or the reason why there is none. */
async function targetOf(lines: string, doc: Doc): Promise<unknown> {
  const made = await rendered(lines, { ...question, ...doc })
  return made.type === 'failed' ? made.reason : made.record.target
}

const choice = (target: string): string =>
  `output_type: multiple_choice\ndoc_to_choice: choices\ndoc_to_target: ${JSON.stringify(target)}`

describe('digits that a template prints', () => {
  it.each([
    [2, ['2', '3', '12', '20']],
    [0, ['4', '0', '2', '6']],
    [1, ['a', 'b']],
  ])('are the index %j, whatever the choices are: %j', async (answer, choices) => {
    expect(await targetOf(choice('{{answer}}'), { answer, choices })).toBe(answer)
    expect(await targetOf(choice('{{answer}}'), { answer: String(answer), choices })).toBe(answer)
  })

  it('are the index of a choice, also for an example and a generated answer', async () => {
    const doc = { ...question, answer: 2, choices: ['2', '3', '12', '20'] }
    const made = await rendered(choice('{{answer}}'), doc, [doc])
    expect(JSON.stringify(made)).toContain('How many? 12')
    const generated = 'output_type: generate_until\ndoc_to_choice: choices\ndoc_to_target: "{{answer}}"'
    expect(await targetOf(generated, doc)).toBe('12')
  })

  it('fail the doc if they are not an index, and the message says how to name a choice by its text', async () => {
    const choices = ['10', '20', '30']
    expect(await targetOf(choice('{{answer}}'), { answer: '20', choices })).toMatch(
      /^doc_to_target gives 20, which is none of \["10","20","30"\]\. Digits that a template prints are the index/,
    )
    expect(await targetOf(choice('answer'), { answer: '20', choices })).toBe(1)
    expect(await targetOf(choice('{{choices.index(answer)}}'), { answer: '20', choices })).toBe(1)
  })

  it('are a text if there are no choices', async () => {
    expect(await targetOf('doc_to_target: "{{answer}}"', { answer: 2 })).toBe('2')
  })

  it('are a text if they have leading zeros', async () => {
    expect(await targetOf(choice('{{answer}}'), { answer: '007', choices: ['006', '007'] })).toBe(1)
  })
})

it('a data text equal to a choice means that choice, and any other text of digits is an index', async () => {
  const choices = ['2', '3', '12', '20']
  expect(await targetOf(choice('answer'), { answer: '2', choices })).toBe(0)
  expect(await targetOf(choice('answer'), { answer: 2, choices })).toBe(2)
  expect(await targetOf(choice('answer'), { answer: '1', choices })).toBe(1)
})

it('a printed list needs square brackets: (3, 4) is a text', async () => {
  const list = 'doc_to_target: "{{answer}}"'
  expect(await targetOf(list, { answer: '(3, 4)' })).toBe('(3, 4)')
  expect(await targetOf(list, { answer: '(1)' })).toBe('(1)')
  expect(await targetOf(list, { answer: "['a', 'b']" })).toEqual(['a', 'b'])
  expect(await targetOf(list, { answer: '[0, 1)' })).toBe('[0, 1)')
})

it('keeps a text that begins with "Data:" in the record, but not an inline medium', async () => {
  const fields = {
    context: 'Data: 3, 4 and 5',
    note: 'data:image of a cat, 12 by 12',
    picture: 'data:image/png;base64,iVBORw0KGgo=',
    plain: 'data:;base64,iVBORw0KGgo=',
  }
  const made = await rendered('doc_to_target: "{{note}}"', { ...question, ...fields })
  expect(made.record.doc).toEqual({ ...question, context: fields.context, note: fields.note })
})

describe('digits in targets of benchmarks', () => {
  const numbers = ['2', '3', '12', '20']

  it('ARC: the answer key letter gives the index of the choice', async () => {
    const { target } = await builtinTask('arc_easy')
    const doc = { ...question, id: 'x', choices: { text: numbers, label: ['A', 'B', 'C', 'D'] } }
    expect('ABCD'.split('').map(answerKey => target({ ...doc, answerKey }))).toEqual([0, 1, 2, 3])
  })

  it('MMLU by continuation: the answer is the index of the choice', async () => {
    const { target } = await builtinTask('mmlu_continuation_anatomy')
    const doc = { ...question, subject: 'anatomy', choices: ['4', '0', '2', '6'] }
    expect([0, 1, 2, 3].map(answer => target({ ...doc, answer }))).toEqual([0, 1, 2, 3])
  })
})

it('the identity of a task records whether its printed digits are indexes', async () => {
  const identityOf = async (target: string): Promise<string> => {
    const yaml = `task: t\ndataset_path: d.jsonl\ndoc_to_text: question\nmetric_list: []\n${choice(target)}\n`
    const file = await folder.write('t.yaml', yaml)
    return (await loadTask(file, { cacheDir: folder.path('cache') })).identity.preimage
  }
  expect(await identityOf('{{answer}}')).toContain('"targets":"printed-index"')
  expect(await identityOf('answer')).not.toContain('printed-index')
})
