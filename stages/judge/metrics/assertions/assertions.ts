/** Conditions on an answer that need no target: 1 if they hold, else 0, with the reason in the doc's details. */
import { z } from 'zod'
import { mistakeLines } from '../../../../base/errors/schema-mistakes.js'
import { canonicalJson, isList, isObject, type Json } from '../../../../base/values/canonical-json.js'
import { defineMetric, scored, type Verdict } from '../../define/define-metric.js'
import { containsWords } from '../../text/word-edges.js'
import { pythonPattern } from '../text-rules.js'

/** @param problem the reason why the condition does not hold */
const makeVerdict = (problem: string | undefined): Verdict =>
  problem === undefined ? scored(1) : scored(0, { reason: problem })

const common = { higherIsBetter: true, range: [0, 1] } as const

const words = z.strictObject({
  words: z.array(z.string().min(1)).min(1).describe('a list of texts'),
  ignore_case: z.boolean().default(false),
  whole_words: z.boolean().default(true),
})

function listMissing(text: string, { words: sought, ignore_case, whole_words }: z.output<typeof words>): string[] {
  const fold = (value: string): string => (ignore_case ? value.toLowerCase() : value).normalize('NFC')
  const answer = fold(text)
  return sought.filter(word => !(whole_words ? containsWords(answer, fold(word)) : answer.includes(fold(word))))
}

/** 1 if the answer contains one of `words`, else 0. Higher is better. */
export const containsAny = defineMetric({
  id: 'contains_any',
  args: words,
  ...common,
  needsTimeLimit: false,
  judge: ({ text }, args) =>
    makeVerdict(
      listMissing(text, args).length < args.words.length ? undefined : `it contains none of ${args.words.join(', ')}`,
    ),
})

/** 1 if the answer contains all `words`, else 0. Higher is better. */
export const containsAll = defineMetric({
  id: 'contains_all',
  args: words,
  ...common,
  needsTimeLimit: false,
  judge({ text }, args) {
    const missing = listMissing(text, args)
    return makeVerdict(missing.length === 0 ? undefined : `it does not contain ${missing.join(', ')}`)
  },
})

/** 1 if a Python regular expression matches somewhere in the answer, else 0. Higher is better. */
export const regex = defineMetric({
  id: 'regex',
  args: z.strictObject({ pattern: pythonPattern }),
  ...common,
  judge: ({ text }, { pattern }) => makeVerdict(text.search(pattern) >= 0 ? undefined : 'the pattern matches nowhere'),
})

/** 1 if the answer has at least `min` and at most `max` characters or words, else 0. Higher is better. */
export const length = defineMetric({
  id: 'length',
  args: z
    .strictObject({
      min: z.int().min(0).default(0),
      max: z.int().min(0).optional(),
      unit: z.enum(['characters', 'words']).default('characters'),
    })
    .refine(({ min, max }) => max === undefined || max >= min, '`max` is below `min`'),
  ...common,
  needsTimeLimit: false,
  judge({ text }, { min, max = Infinity, unit }) {
    const count = unit === 'words' ? (text.match(/\S+/gu) ?? []).length : Array.from(text).length
    if (count < min) return makeVerdict(`it has ${count} ${unit}, and at least ${min} are wanted`)
    return makeVerdict(count > max ? `it has ${count} ${unit}, and at most ${max} are wanted` : undefined)
  },
})

const jsonSchemaArgs = z.strictObject({
  schema: z.record(z.string(), z.json()).transform((schema, context) => {
    try {
      return z.fromJSONSchema(schema)
    } catch (error) {
      context.addIssue({ code: 'custom', message: `not a JSON Schema: ${String(error)}` })
      return z.NEVER
    }
  }),
})

/** 1 if the answer is JSON that satisfies `schema`, perhaps in a Markdown fence, else 0. Higher is better. */
export const jsonSchema = defineMetric({
  id: 'json_schema',
  args: jsonSchemaArgs,
  ...common,
  judge({ text }, { schema }) {
    const value = parseAnswer(text)
    if (value === undefined) return makeVerdict('it is no JSON')
    const parsed = schema.safeParse(value, { reportInput: true })
    return makeVerdict(
      parsed.success ? undefined : mistakeLines(parsed.error.issues, value, { whole: 'the answer' })[0],
    )
  },
})

/**
 * 1 if the answer is JSON with a field at `path` that equals `equals`, contains `contains`, or lies between `min` and `max`, else 0. Higher is better.
 */
export const jsonField = defineMetric({
  id: 'json_field',
  args: z
    .strictObject({
      path: z.string().min(1).describe('a path such as items.0.price'),
      equals: z.json().optional(),
      contains: z.string().optional(),
      min: z.number().optional(),
      max: z.number().optional(),
    })
    .refine(
      ({ equals, contains, min, max }) => [equals, contains, min, max].some(condition => condition !== undefined),
      'give `equals`, `contains`, `min` or `max`',
    ),
  ...common,
  needsTimeLimit: false,
  judge({ text }, { path, equals, contains, min, max }) {
    const value = parseAnswer(text)
    if (value === undefined) return makeVerdict('it is no JSON')
    const field = readPath(value, path.split('.'))
    if (field === undefined) return makeVerdict(`it has no field ${path}`)
    const fieldText = canonicalJson(field)
    if (equals !== undefined && fieldText !== canonicalJson(equals))
      return makeVerdict(`${path} is ${fieldText}, and ${canonicalJson(equals)} is wanted`)
    if (contains !== undefined && !(typeof field === 'string' ? field : fieldText).includes(contains))
      return makeVerdict(`${path} is ${fieldText}, which does not contain ${contains}`)
    if (min === undefined && max === undefined) return makeVerdict(undefined)
    if (typeof field !== 'number') return makeVerdict(`${path} is ${fieldText}, which is no number`)
    const isWithin = field >= (min ?? -Infinity) && field <= (max ?? Infinity)
    return makeVerdict(
      isWithin ? undefined : `${path} is ${fieldText}, which is not between ${min ?? '−∞'} and ${max ?? '∞'}`,
    )
  },
})

/** Parses an answer that is JSON and nothing else, perhaps in a Markdown fence. */
function parseAnswer(text: string): Json | undefined {
  const bare = text.trim()
  const [, fenced] = bare.startsWith('```') ? (/^```\w*\n([^]*)```$/.exec(bare) ?? []) : []
  try {
    return JSON.parse(fenced ?? bare) as Json
  } catch {
    return undefined
  }
}

function readPath(value: Json, path: readonly string[]): Json | undefined {
  const [name, ...rest] = path
  if (name === undefined) return value
  const inner = isList(value)
    ? value[Number(name)]
    : isObject(value) && Object.hasOwn(value, name)
      ? value[name]
      : undefined
  return inner === undefined ? undefined : readPath(inner, rest)
}
