import { expect, test } from 'vitest'
import { joinDetails } from '../../../../../stages/model/backends/openai/chat-stream.js'

test('joins streamed reasoning by type and index, and keeps signatures', () => {
  const text = { type: 'reasoning.text', index: 0, format: 'anthropic-claude-v1' }
  expect(
    joinDetails([
      { ...text, text: 'Two ' },
      { ...text, text: 'and two' },
      { ...text, signature: 'sig' },
      { type: 'reasoning.summary', index: 1, summary: 'A sum' },
      { type: 'reasoning.summary', index: 1, summary: '.' },
      { type: 'reasoning.encrypted', index: 2, data: 'x' },
      { type: 'reasoning.encrypted', index: 2, data: 'y' },
      'what is no object',
    ]),
  ).toEqual([
    { ...text, text: 'Two and two', signature: 'sig' },
    { type: 'reasoning.summary', index: 1, summary: 'A sum.' },
    { type: 'reasoning.encrypted', index: 2, data: 'x' },
    { type: 'reasoning.encrypted', index: 2, data: 'y' },
    'what is no object',
  ])
})
