import { expect, test } from 'vitest'
import { LoggedContents } from '../../../../src/exchange/logged-contents.js'
import { readLoggedPrompt } from '../../../../src/exchange/read/harness/logged-prompt.js'

const user = (content: string) => ({ role: 'user', content })
const chat = [
  { role: 'system', content: 'Be short.' },
  user('2 + 2?'),
  { role: 'assistant', content: '4' },
  user('数?'),
]

test.each([
  ['a text', 'Q: 1?', [user('Q: 1?')]],
  ['the JSON of messages in a list', [JSON.stringify(chat)], chat],
  ['the JSON of messages', JSON.stringify(chat), chat],
  ['messages', chat, chat],
  ['a text in a list', ['Q: 1?'], [user('Q: 1?')]],
  ['a text that begins like JSON', '[{"a": 1}, …', [user('[{"a": 1}, …')]],
  ['a text that is JSON of other things', '[{"role": "admin"}]', [user('[{"role": "admin"}]')]],
  ['an empty list in a text', '[]', [user('[]')]],
])('reads a prompt that is %s', (_what, logged, messages) => {
  expect(readLoggedPrompt(logged)).toEqual(messages)
})

test('reads the text and the picture of a message with parts', () => {
  const url = 'data:image/png;base64,aGk='
  const content = [
    { type: 'text', text: 'What?' },
    { type: 'image_url', image_url: { url } },
  ]
  expect(readLoggedPrompt([JSON.stringify([{ role: 'user', content }])])).toMatchObject([
    {
      content: [
        { type: 'text', text: 'What?' },
        { type: 'medium', mime: 'image/png' },
      ],
    },
  ])
})

test.each([null, undefined, 7, [], ['a', 'b'], {}])('finds no prompt in %j', value => {
  expect(readLoggedPrompt(value)).toBeUndefined()
})

const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Q' }] }]

test.each([
  ['nothing is empty', messages, { target: '7', answers: [{ text: 'x' }] }, undefined],
  ['no prompt', [], { target: '7', answers: [{ text: 'x' }] }, 'the log holds no prompt of any doc'],
  ['no target', messages, { target: '', answers: [{ text: 'x' }] }, 'the log holds no target of any doc'],
  ['no answer', messages, { target: '7', answers: [{ text: ' ' }] }, 'the log holds no text of an answer of any doc'],
  ['failed requests alone', messages, { target: '7', answers: [{ error: 'x' }] }, undefined],
  ['texts that are the choices', [], { target: 0, choices: ['a'], answers: [{ logprob: -1 }] }, undefined],
])('a log with %s is told', (_what, prompt, sample, note) => {
  const contents = new LoggedContents()
  contents.add(prompt, [{ id: 0, scores: {}, ...sample }])
  expect(contents.describeEmpty()).toBe(note)
})
