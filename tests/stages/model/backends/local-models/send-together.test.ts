import { expect, test } from 'vitest'
import { sendTogether } from '../../../../../stages/model/backends/local-models/send-together.js'

const nextTurn = () => new Promise(resolve => setImmediate(resolve))

test('sends the messages of one turn as one list, in order', async () => {
  const sent: (readonly string[])[] = []
  const send = sendTogether<string>(messages => void sent.push(messages))
  send('a')
  await Promise.resolve()
  send('b')
  expect(sent).toEqual([])
  await nextTurn()
  send('c')
  await nextTurn()
  expect(sent).toEqual([['a', 'b'], ['c']])
})
