import { expect, test } from 'vitest'
import { makeRoundFields } from '../../../../stages/input/rounds/round-rules.js'

const tools = { declared: [{ name: 'pay' }], maxRounds: 3 }

test('includes in the request which tools may be called again, if a task sets it', () => {
  expect(makeRoundFields({ tools })).toEqual({ tools: tools.declared, conversation: { v: 1, maxToolRounds: 3 } })
  expect(makeRoundFields({ tools, repeatTools: { pay: false } }).conversation).toEqual({
    v: 1,
    maxToolRounds: 3,
    repeatTools: { pay: false },
  })
  expect(makeRoundFields({ repeatTools: { pay: false } })).toEqual({})
})
