import { expect, test } from 'vitest'
import { makeRoundFields } from '../../../../stages/input/rounds/round-rules.js'

const tools = { declared: [{ name: 'pay' }], maxRounds: 3 }

test('the tools that may be called again are part of the request, if a task says it', () => {
  expect(makeRoundFields({ tools })).toEqual({ tools: tools.declared, conversation: { v: 1, maxToolRounds: 3 } })
  expect(makeRoundFields({ tools, repeatTools: { pay: false } }).conversation).toEqual({
    v: 1,
    maxToolRounds: 3,
    repeatTools: { pay: false },
  })
  expect(makeRoundFields({ repeatTools: { pay: false } })).toEqual({})
})
