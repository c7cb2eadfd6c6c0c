import { expect, test } from 'vitest'
import type { MessageView } from '../../../src/present/page/data/index.js'
import { listTurns } from '../../../src/web/pages/sample/turns.js'

const makeMessage = (role: MessageView['role'], ...calls: readonly string[]): MessageView => ({
  role,
  parts: [],
  toolCalls: calls.map(name => ({ name, arguments: '{}' })),
})
const listNames = (messages: readonly MessageView[]) =>
  listTurns(messages).map(({ message, tools }) => [
    message.role,
    ...tools.map(({ call, result }) => [call?.name, result !== undefined]),
  ])

test('results of tools appear below the calls of the preceding answer', () => {
  const messages = [makeMessage('assistant', 'search', 'read'), makeMessage('tool'), makeMessage('tool')]
  expect(listNames([...messages, makeMessage('user'), makeMessage('assistant', 'pay')])).toEqual([
    ['assistant', ['search', true], ['read', true]],
    ['user'],
    ['assistant', ['pay', false]],
  ])
})

test('keeps a result without its call', () => {
  expect(listNames([makeMessage('tool')])).toEqual([['tool']])
  expect(listNames([makeMessage('assistant'), makeMessage('tool')])).toEqual([['assistant', [undefined, true]]])
})
