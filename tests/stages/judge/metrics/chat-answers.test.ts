import { expect, test } from 'vitest'
import { readChatAnswer, type ChatAnswer } from '../../../support/chat-answers.js'
import { goldenRows } from '../../../support/golden.js'

const rows = goldenRows<ChatAnswer>('metrics/chat_answers.jsonl')
const kinds = [...new Set(rows.map(({ metric, kind }) => `${metric}: ${kind}`))]

test.each(kinds)('reads answers as a person does (%s)', kind => {
  const own = rows.filter(row => `${row.metric}: ${row.kind}` === kind)
  expect(own.map(row => [row.answer, row.samples, readChatAnswer(row)])).toEqual(
    own.map(row => [row.answer, row.samples, row.reads]),
  )
})
