import { PipelineError } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { isList, isObject } from '../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import { parseExactJson } from '../../../stages/input/datasets/json/exact-json.js'
import { numberedLines } from '../../../stages/input/datasets/text-lines.js'
import type { ForeignTests } from './foreign-tests.js'

/**
 * Reads samples of OpenAI's evals: rows with `input`, a text or messages, and `ideal`, a text or several.
 *
 * @throws PipelineError if a line is damaged, or no row is such a sample
 */
export async function readOpenaiEvals(file: string): Promise<ForeignTests> {
  const rows: JsonObject[] = []
  const untranslated: string[] = []
  for await (const { text, place } of numberedLines(file)) {
    const row = readRow(parseExactJson(text, () => place))
    if (typeof row === 'string') untranslated.push(`${place}  ${row}`)
    else rows.push(row)
  }
  if (rows.length === 0)
    throw new PipelineError(
      'dataset',
      untranslated.length > 0 ? untranslated.slice(0, 5) : `${shownPath(file)} holds no samples`,
    )
  return { prompts: [undefined], rows, hasChecks: false, left: untranslated }
}

/** Returns the reason if the row cannot be translated. */
function readRow(row: unknown): JsonObject | string {
  if (!isObject(row)) return 'the line is no JSON object'
  const { input, ideal } = row
  const target = isList(ideal) ? ideal : [ideal]
  if (!target.every(text => typeof text === 'string') || target.length === 0)
    return 'ideal: expected a text, or a list of texts'
  if (typeof input === 'string') return { messages: [{ role: 'user', content: input }], target }
  if (!isList(input) || input.length === 0) return 'input: expected a text, or a list of messages'
  const messages = input.map(readMessage)
  const wrong = messages.find(message => typeof message === 'string')
  return wrong ?? { messages: messages.filter(message => typeof message !== 'string'), target }
}

/** A named system message is an example of a turn, as in few-shot prompts of OpenAI's evals. */
function readMessage(message: unknown): JsonObject | string {
  if (!isObject(message)) return 'input: a message is no object'
  const { role, content, name } = message
  if (typeof content !== 'string') return 'input: a message has no text'
  const spoken =
    name === 'example_user'
      ? 'user'
      : name === 'example_assistant'
        ? 'assistant'
        : role === 'developer'
          ? 'system'
          : role
  if (spoken !== 'system' && spoken !== 'user' && spoken !== 'assistant')
    return `input: the role ${JSON.stringify(role)} of a message is unknown`
  return { role: spoken, content }
}
