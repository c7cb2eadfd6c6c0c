import { z } from 'zod'
import { mistakeLines } from '../../../../base/errors/schema-mistakes.js'
import { isObject, type Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import { scored } from '../../define/define-metric.js'
import type { GradedArgs } from '../graded-args.js'
import { listTexts, makeQuestion, type JudgeKind, type VerdictForm } from '../graded-question.js'
import { formTemplate } from '../prompts.js'
import { acceptRuling, refuseReply, type Ruled } from '../verdict-lines.js'

/** Makes the kind `form`: the judge fills in a JSON object, and one of its numbers is the value. */
export function makeForm({ prompt, schema = {}, field = '', structured = false }: GradedArgs): JudgeKind<JsonObject> {
  const checked = z.fromJSONSchema(schema)
  const range = findRange(schema, field)
  const readNumber = (said: JsonObject): number => Number(said[field])
  const check = (said: JsonObject): Ruled<JsonObject> => {
    const parsed = checked.safeParse(said, { reportInput: true })
    if (!parsed.success) {
      const [mistake = ''] = mistakeLines(parsed.error.issues, said, { whole: 'the form' })
      return refuseReply(`the judge's form does not fit its schema: ${mistake}`)
    }
    if (typeof said[field] !== 'number') return refuseReply(`the judge's form has no number "${field}"`)
    return acceptRuling(said)
  }
  const form = structured ? makeStructuredForm(schema, check) : makeWrittenForm(check)
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

type CheckForm = (said: JsonObject) => Ruled<JsonObject>

/** A judge that writes the object behind a verdict mark. */
function makeWrittenForm(check: CheckForm): VerdictForm<JsonObject> {
  const read = (text: string): Ruled<JsonObject> => {
    const said = parseObject(text)
    return said === undefined
      ? refuseReply("the judge's reply has no JSON object after its last verdict mark")
      : check(said)
  }
  return {
    // A judge that repeats a text with a JSON object must not pass it off as its own.
    mayPass: text => text.includes('{'),
    instruct: mark =>
      `End your reply with "${mark.write()}" and the JSON object, and write nothing after it. It must have all required properties.`,
    read: (mark, reply) => {
      const rest = mark.find(reply)
      if (rest !== undefined) return read(rest)
      // A server in JSON mode replies with the object alone.
      return mark.isCoded ? refuseReply(`the judge's reply has no "${mark.write()}"`) : read(reply)
    },
  }
}

/** The property that carries the fence's code where a graded text could pass for the object. */
const codeProperty = 'verdict_code'

/**
 * Makes the form for a server that gets the schema. The reply is then only the object. A server may ignore the schema. If a graded text contains an
 * object that the judge could repeat, the fence's code is still required.
 */
function makeStructuredForm(schema: JsonObject, check: CheckForm): VerdictForm<JsonObject> {
  return {
    mayPass: text => text.includes('{'),
    describe: ({ isCoded, code }) => (isCoded ? addCode(schema, code) : schema),
    instruct: ({ isCoded, code }) =>
      `Reply with the JSON object alone. It must have all required properties.${isCoded ? ` Its property "${codeProperty}" must be "${code}".` : ''}`,
    read: ({ isCoded, code }, reply) => {
      const said = parseObject(reply)
      if (said === undefined)
        return refuseReply("the judge's reply is no JSON object: its server may ignore the schema")
      if (!isCoded) return check(said)
      const { [codeProperty]: writtenCode, ...rest } = said
      return writtenCode === code ? check(rest) : refuseReply(`the judge's form has no "${codeProperty}": "${code}"`)
    },
  }
}

function addCode(schema: JsonObject, code: string): JsonObject {
  const { properties, required } = schema
  return {
    ...schema,
    properties: { [codeProperty]: { type: 'string', enum: [code] }, ...(isObject(properties) ? properties : {}) },
    required: [codeProperty, ...(Array.isArray(required) ? (required as readonly Json[]) : [])],
  }
}

/** Parses a text that is a JSON object and nothing else, or ends with one in a Markdown fence. */
function parseObject(text: string): JsonObject | undefined {
  const trimmed = text.trim()
  // A sentence may stand before the fence, but no other object: the judge may quote one behind its own.
  const fenced = /^[^{`]{0,500}```\w*\s*([^`]*)```$/.exec(trimmed)?.[1]
  const bare = fenced ?? trimmed.replace(/^[*_]+\s*/, '')
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
