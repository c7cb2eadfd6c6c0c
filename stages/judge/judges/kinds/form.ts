import { z } from 'zod'
import { mistakeLines } from '../../../../base/errors/schema-mistakes.js'
import { isObject, type Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import { scored } from '../../define/define-metric.js'
import type { GradedArgs } from '../graded-args.js'
import { listTexts, makeQuestion, type JudgeKind, type VerdictForm } from '../graded-question.js'
import { formTemplate } from '../prompts.js'
import { acceptRuling, refuseReply, type Ruled } from '../verdict-lines.js'

/** A JSON object that the judge fills in. Its value is one of its numbers. */
export function makeForm({ prompt, schema = {}, field = '' }: GradedArgs): JudgeKind<JsonObject> {
  const checked = z.fromJSONSchema(schema)
  const range = findRange(schema, field)
  const readNumber = (said: JsonObject): number => Number(said[field])
  const check = (text: string): Ruled<JsonObject> => {
    const said = parseObject(text)
    if (said === undefined) return refuseReply("the judge's reply has no JSON object after its last verdict mark")
    const parsed = checked.safeParse(said, { reportInput: true })
    if (!parsed.success) {
      const [mistake = ''] = mistakeLines(parsed.error.issues, said, { whole: 'the form' })
      return refuseReply(`the judge's form does not fit its schema: ${mistake}`)
    }
    if (typeof said[field] !== 'number') return refuseReply(`the judge's form has no number "${field}"`)
    return acceptRuling(said)
  }
  const form: VerdictForm<JsonObject> = {
    // A judge that repeats a text with a JSON object must not pass it off as its own.
    mayPass: text => text.includes('{'),
    instruct: mark =>
      `End your reply with "${mark.write()}" and the JSON object, and write nothing after it. It must have all required properties.`,
    read: (mark, reply) => {
      const rest = mark.find(reply)
      if (rest !== undefined) return check(rest)
      // A server in JSON mode replies with the object alone.
      return mark.isCoded ? refuseReply(`the judge's reply has no "${mark.write()}"`) : check(reply)
    },
  }
  return {
    isStrict: false,
    range,
    ask: texts => [
      makeQuestion(prompt ?? formTemplate(texts), {
        texts: listTexts(texts),
        own: { schema: JSON.stringify(schema, undefined, 2) },
        form,
      }),
    ],
    rate: said => range && (readNumber(said) - range[0]) / (range[1] - range[0]),
    conclude: ([said = {}]) => scored(readNumber(said), said),
  }
}

/** Parses a text that is a JSON object and nothing else, perhaps in a Markdown fence. */
function parseObject(text: string): JsonObject | undefined {
  const bare = text
    .trim()
    .replace(/^[*_]+\s*/, '')
    .replace(/^```\w*\s*([^]*?)\s*```$/, '$1')
  try {
    const value = JSON.parse(bare) as Json
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function findRange(schema: NonNullable<GradedArgs['schema']>, field: string): readonly [number, number] | undefined {
  const { properties } = schema
  const property = isObject(properties) ? (properties as JsonObject)[field] : undefined
  if (!isObject(property)) return undefined
  const { minimum, maximum } = property
  return typeof minimum === 'number' && typeof maximum === 'number' && minimum < maximum
    ? [minimum, maximum]
    : undefined
}
