import { z } from 'zod'
import { groupSchema, taskSchema } from './schema.js'

/**
 * Makes the JSON Schema of task and group files, for editors that complete and check YAML. `!function` is a custom
 * tag there.
 */
export function taskJsonSchema(): Record<string, unknown> {
  const include = {
    description: 'a file or list of files whose keys are taken where this one has none',
    anyOf: textOrList,
  }
  const task = withNulls(convertSchema(taskSchema))
  const group = withNulls(convertSchema(groupSchema))
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Task file',
    if: { properties: { task: { type: 'array' } }, required: ['task'] },
    definitions: { ...Object(group['definitions']), ...Object(task['definitions']) } as Readonly<
      Record<string, unknown>
    >,
    // A group file may have any key of its tasks, and a file that includes others may omit any key.
    then: {
      ...without(group, ['definitions']),
      properties: { ...task.properties, ...group.properties, include },
      required: [],
    },
    else: { ...without(task, ['definitions']), properties: { ...task.properties, include }, required: [] },
  }
}

const textOrList = [{ type: 'string' }, { type: 'array', items: { type: 'string' } }]

interface ObjectSchema {
  readonly [key: string]: unknown
  readonly properties: Readonly<Record<string, unknown>>
}

function convertSchema(schema: z.ZodType): ObjectSchema {
  const json = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      // An editor sees `!function` values as texts.
      if (zodSchema._zod.def.type === 'custom') jsonSchema.type = 'string'
      const expected = jsonSchema['expected']
      if (typeof expected === 'string') jsonSchema.description = expected
      delete jsonSchema['expected']
    },
  })
  return { ...without(json, ['$schema']), properties: json.properties ?? {} }
}

/** `null` counts as absent for every key. */
const withNulls = (schema: ObjectSchema): ObjectSchema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties).map(([key, value]) => [key, key === 'task' ? value : orNull(value)]),
  ),
})

function orNull(value: unknown): unknown {
  const { description, ...rest } = value as Readonly<Record<string, unknown>>
  return { ...(description === undefined ? {} : { description }), anyOf: [rest, { type: 'null' }] }
}

const without = (value: object, keys: readonly string[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)))
