import type { Json } from '../../../base/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'

/**
 * What stands in place of an answer where the steps of an agent ran out before its task was done: what is known of the state
 * that it reached. lmms-eval's evaluator.py, `_run_generate_until_agentic`.
 */
export function outOfSteps(
  info: Json,
  last: { readonly text: string; readonly outputs: readonly string[] },
): JsonObject {
  const known = objectOf(info)
  const state = objectOf(known['state'])
  const { tool_calls: calls, valid_tool_calls: valid = calls, invalid_steps: invalid } = known
  const shown = reported.flatMap(name => (name in state ? [[name, state[name]] as const] : []))
  return {
    success: false,
    error: 'max_agentic_steps_reached',
    tool_calls: numberOf(calls),
    valid_tool_calls: numberOf(valid),
    invalid_steps: numberOf(invalid),
    state: known['state'] ?? {},
    last_model_output: last.text,
    trace: last.outputs,
    ...Object.fromEntries(shown),
  }
}

/** Fields of the state that lmms-eval's tasks score by. */
const reported = ['cash', 'days_elapsed', 'inventory', 'mobile_data_working'] as const

const objectOf = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

const numberOf = (value: Json | undefined): number => (Number.isFinite(Number(value)) ? Number(value) : 0)
