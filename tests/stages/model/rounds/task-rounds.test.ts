import { expect, test } from 'vitest'
import { outOfSteps } from '../../../../stages/model/rounds/task-rounds.js'

const last = { text: 'buy', outputs: ['look', 'buy'] }

test('the known state replaces the answer, with the fields that scores are computed from', () => {
  const info = { state: { cash: 3, mobile_data_working: true, mood: 'good' }, tool_calls: 2, invalid_steps: 1 }
  expect(outOfSteps(info, last)).toEqual({
    success: false,
    error: 'max_agentic_steps_reached',
    tool_calls: 2,
    valid_tool_calls: 2,
    invalid_steps: 1,
    state: info.state,
    last_model_output: 'buy',
    trace: ['look', 'buy'],
    cash: 3,
    mobile_data_working: true,
  })
})

test.each([['a text'], [[1, 2]], [{}], [{ state: 5, tool_calls: 'many' }]])(
  'reads nothing from a state of an unknown form (%j)',
  info => {
    expect(outOfSteps(info, last)).toMatchObject({ tool_calls: 0, valid_tool_calls: 0, invalid_steps: 0 })
  },
)
