import { expect, test } from 'vitest'
import { option } from '../../../base/errors/option-words.js'
import type { JudgeSettings } from '../../../src/config/settings.js'
import { judgeOptions } from '../../../src/config/options/judge-options.js'
import { JudgeNotes } from '../../../src/judging/judge-notes.js'
import { overrideJudges } from '../../../src/judging/override-judges.js'

function overridden(settings: JudgeSettings) {
  const notes: string[] = []
  const result = overrideJudges(settings, { emit: event => notes.push(...(event.type === 'note' ? [event.text] : [])) })
  return { result, notes }
}

test('replaces a judge wherever it is named, with one note', () => {
  const { result, notes } = overridden({
    judgeModel: 'openai',
    judgeArgs: { model: 'old', timeout: 5 },
    judgeFor: {
      'mme.*': [
        { model: 'openai', args: { model: 'old' } },
        { model: 'dummy', args: { model: 'other' } },
      ],
    },
    judgeOverride: { old: 'new' },
  })
  expect(result.judgeArgs).toEqual({ model: 'new', timeout: 5 })
  expect(result.judgeFor?.['mme.*']?.map(({ args }) => args)).toEqual([{ model: 'new' }, { model: 'other' }])
  expect(notes).toEqual([`the judge new is asked in place of old (${option('judgeOverride')})`])
})

test('keeps judges that are not replaced, even one that was shut down', () => {
  const settings = { judgeModel: 'openai', judgeArgs: { model: 'gpt-4-32k' }, judgeOverride: { constructor: 'new' } }
  expect(overridden(settings)).toEqual({ result: settings, notes: [] })
})

test('rejects a replacement that is itself replaced', () => {
  expect(() => overridden({ judgeOverride: { a: 'b', b: 'c' } })).toThrow(
    'b replaces another judge and is replaced itself',
  )
})

test('a note about code that names the old judge says that the replacement is used', () => {
  const notes: string[] = []
  const hooks = { emit: (event: { type: string; text?: string }) => void notes.push(event.text ?? '') }
  const identity = { backend: 'openai', args: { model: 'new' } }
  const words = new JudgeNotes(identity, hooks, { again: {}, overrides: { old: 'new' } })
  words.noteOther({ messages: '?', askedFor: 'old', doc: { task: 't', index: 0, id: '0' } })
  words.noteOther({ messages: '?', askedFor: 'third', doc: { task: 't', index: 0, id: '0' } })
  expect(notes).toEqual([
    `t asks for the judge old, and openai new judges, as ${option('judgeOverride')} says`,
    't asks for the judge third, and openai new judges',
  ])
})

test('the flag accepts OLD=NEW and can be repeated', () => {
  const { read } = judgeOptions.judgeOverride
  expect(read('c=d', read('a=b', undefined, '--judge-override'), '--judge-override')).toEqual({ a: 'b', c: 'd' })
  for (const text of ['a', '=b', 'a=', 'a=b=c'])
    expect(() => read(text, undefined, '--judge-override')).toThrow('--judge-override: expected OLD=NEW')
})
