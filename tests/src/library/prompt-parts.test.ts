import { expect, test } from 'vitest'
import { image, promptMessages, simplePrompt, text, type Prompt } from '../../../src/library/prompt-parts.js'

const returns = 'prompt must return a text, or what text(), image(), audio(), video() or file() returns, not'
const part = 'each part of a prompt must be a text, or what text(), image(), audio(), video() or file() returns, not'

test.each<readonly [unknown, string]>([
  [null, `${returns} null`],
  [undefined, `${returns} nothing`],
  [5, `${returns} a number`],
  [{ txt: 'a' }, `${returns} an object with txt`],
  [Promise.resolve('a'), 'prompt must return its value at once, not a promise'],
  [['a', null], `${part} null`],
  [[{ type: 'picture', source: 'a' }], `${part} an object with type, source`],
  [[{ role: 'user', content: null }], 'the content of a message must be a text or a list of parts, not null'],
  [[{ role: 'user', content: 'a' }, 'b'], 'each message of a prompt must be { role, content }, not a text'],
  [[{ role: 'user', content: [5] }], 'each part of a message must be a text'],
])("rejects a prompt of another form in the task's terms: %j", (prompt, message) => {
  expect(() => promptMessages(prompt as Prompt)).toThrow(message)
  expect(() => simplePrompt(prompt as Prompt)).toThrow(message)
})

test('accepts a text, parts and messages as prompts', () => {
  const picture = image('a.png')
  const content = [{ type: 'text', text: 'a' }]
  expect(promptMessages('a')).toEqual([{ role: 'user', content }])
  expect(promptMessages([picture, text('a')])).toEqual([
    { role: 'user', content: [{ type: 'image', image: 'a.png' }, ...content] },
  ])
  expect(promptMessages([{ role: 'user', content: 'a' }])).toEqual([{ role: 'user', content: 'a' }])
})
