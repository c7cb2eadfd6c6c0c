/** Defines the body of a job: the keys of a configuration file, and a few keys of the service. */
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { mistakeLines, type MistakeWording } from '../../../base/errors/schema-mistakes.js'
import { isObject } from '../../../base/values/canonical-json.js'
import { present } from '../../../base/values/present.js'
import { without, withoutNulls } from '../../../base/values/without.js'
import type { JsonObject } from '../../../cache/records.js'
import { configSchema } from '../../config/file/config-schema.js'
import { formatFileKey } from '../../config/option.js'
import { lmmsTrackOptions } from '../../config/options/track-options.js'
import { subjectOptions } from '../../config/options/subject-options.js'
import { ofClient } from '../client-wording.js'
import { isPlainLine } from '../policy/plain-texts.js'
import { refusedKeys } from '../policy/refused-keys.js'
import { formatClientValue } from '../policy/job-policy.js'

/**
 * Keys of a configuration file that a job cannot have. The server decides the store and the environment, and does not send results to trackers. Gates
 * of any run have a separate route. Keys of tasks may name files.
 */
const serverKeys = { store: true, env: true, baseline: true, gate: true, track: true, override: true } as const

/** The arguments of an evaluation, as the command line checks them. */
const evaluationSchema = configSchema.omit(serverKeys)

const label = z.string().max(200).refine(isPlainLine, 'no control characters')

/** Keys of a job that are no keys of a configuration file. `num_gpus` and `output_dir` of lmms-eval's requests are accepted and ignored. */
const jobKeys = {
  priority: z.int().min(-100).max(100).optional().describe('a whole number from -100 to 100; higher is earlier (0)'),
  labels: z
    .record(z.string().min(1).max(100), label)
    .refine(labels => Object.keys(labels).length <= 50, 'at most 50 labels')
    .optional()
    .describe('texts by name, at most 50, to find jobs by'),
  webhook: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional()
    .describe('an http or https address, which is called when the job ends'),
  num_gpus: z.json().optional().describe('ignored: models run behind an API or on the CPU'),
  output_dir: z.json().optional().describe('ignored: results are read from the service'),
  ...Object.fromEntries(
    Object.keys(lmmsTrackOptions).map(name => [
      formatFileKey(name),
      z.json().optional().describe('ignored: a service sends results to no tracker'),
    ]),
  ),
  output_path: z.json().optional().describe('ignored: results are read from the service'),
}

/** The JSON body that submits a job. */
export const requestSchema = evaluationSchema.extend({
  ...jobKeys,
  model: subjectOptions.model.file,
  tasks: subjectOptions.tasks.file
    .refine(tasks => [tasks].flat().some(name => typeof name !== 'string' || /[^,\s]/.test(name)))
    .describe('a task, or a list of tasks'),
})

/** A request with valid types. `checkJob` checks the paths, addresses and secrets in it. */
export interface JobRequest {
  /** The keys of a configuration file, unchanged. */
  readonly evaluation: Readonly<Record<string, unknown>>
  readonly priority: number
  readonly labels: Readonly<Record<string, string>>
  readonly webhook?: string
}

/**
 * Checks a request by the schemas of the command line. A key that is `null` is as if it were absent.
 *
 * @throws PipelineError (usage) that names every mistake by its key
 */
export function parseJobRequest(body: unknown): JobRequest {
  checkBounds(body)
  const request = isObject(body) ? withoutNulls(body) : body
  const parsed = requestSchema.safeParse(request)
  if (!parsed.success || !isObject(request))
    throw new PipelineError('usage', mistakeLines(parsed.error?.issues ?? [], request, ofRequest))
  const { priority = 0, labels = {}, webhook } = parsed.data
  const evaluation = Object.fromEntries(Object.entries(request).filter(([key]) => !Object.hasOwn(jobKeys, key)))
  return { evaluation, priority, labels, ...present({ webhook }) }
}

const ofRequest = {
  ...ofClient,
  whole: 'the request',
  unknown: 'no such key',
  known: Object.keys(requestSchema.shape),
  expected: ([key, ...inner]: readonly PropertyKey[]) => (inner.length === 0 ? expectation(key) : undefined),
} satisfies MistakeWording & { readonly whole: string }

/** The description of a key. */
function expectation(key: PropertyKey | undefined): string | undefined {
  const schema = Object.entries(requestSchema.shape).find(([name]) => name === key)?.[1]
  return schema?.description ?? (schema instanceof z.ZodOptional ? findDescription(schema.unwrap()) : undefined)
}

const findDescription = (schema: z.core.$ZodType): string | undefined => z.globalRegistry.get(schema)?.description

/** The request as a schema of OpenAPI, without keys that are refused in every job. */
export const requestJsonSchema = (): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: ['model', 'tasks'],
  properties: Object.fromEntries(
    Object.entries(requestSchema.shape)
      .filter(([name]) => !Object.hasOwn(refusedKeys, name))
      .map(([name, schema]) => [name, makeJsonSchema(schema)]),
  ),
})

function makeJsonSchema(schema: z.ZodType): JsonObject {
  const jsonSchema = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  // The schema of "any JSON" refers to itself, which is invalid within a larger document. It is dropped, so that any value is accepted.
  const plain = without(jsonSchema, '$schema', '$defs')
  return JSON.parse(JSON.stringify(plain), (key, value: unknown) => (key === '$ref' ? undefined : value)) as JsonObject
}

/** Maximum nesting of lists and objects. A configuration needs about five levels. */
const deepest = 32
/** Maximum number of values, including values of inner objects. */
const mostValues = 100_000
/** Maximum number of names in one object, and maximum length of a name. */
const mostNames = 2000
const longestName = 300

/**
 * Bounds the form of a request before schemas look at it: their time grows with its size, and their stack with its depth. The walk has no recursion.
 *
 * @throws PipelineError (usage) if the body is too deep or too large, or has a dangerous key such as `__proto__` or a control character
 */
function checkBounds(body: unknown): void {
  let values = 0
  const open: (readonly [unknown, number])[] = [[body, 1]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next
    values += 1
    if (values > mostValues) throw makeRefusal(`more than ${mostValues} values`)
    if (typeof value !== 'object' || value === null) continue
    if (depth > deepest) throw makeRefusal(`values are nested more than ${deepest} deep`)
    if (!Array.isArray(value)) checkNames(Object.keys(value))
    for (const inner of Object.values(value)) open.push([inner, depth + 1])
  }
}

function checkNames(names: readonly string[]): void {
  if (names.length > mostNames)
    throw makeRefusal(`an object has ${names.length} names; at most ${mostNames} are accepted`)
  for (const name of names) {
    if (name.length > longestName)
      throw makeRefusal(
        `the name ${formatClientValue(name)} has ${name.length} characters; at most ${longestName} are accepted`,
      )
    if (name === '__proto__') throw makeRefusal('no value may have the name __proto__')
    if (!isPlainLine(name)) throw makeRefusal(`the name ${formatClientValue(name)} has control characters`)
  }
}

const makeRefusal = (what: string): PipelineError => new PipelineError('usage', `the request: ${what}`)
