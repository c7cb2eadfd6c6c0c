import { expect, test } from 'vitest'
import { taskJsonSchema } from '../../../../stages/input/tasks/json-schema.js'
import { taskKeys } from '../../../../stages/input/tasks/schema.js'

const schema = taskJsonSchema() as Record<
  'then' | 'else',
  { properties: Record<string, { description?: string; anyOf?: unknown[] }> }
>

test('the JSON schema describes every key of a task and its value', () => {
  expect(Object.keys(schema.else.properties).sort()).toEqual([...taskKeys].sort())
  expect(schema.else.properties['repeats']?.description).toBe('a whole number from 1')
})

test('any key except the name may be null', () => {
  for (const { properties } of [schema.then, schema.else])
    for (const [key, { anyOf }] of Object.entries(properties))
      if (key !== 'task' && key !== 'include') expect(anyOf, key).toContainEqual({ type: 'null' })
})

test('a file with a list of tasks is a group, which may set keys for its tasks', () => {
  expect(Object.keys(schema.then.properties)).toEqual(expect.arrayContaining(['aggregate_metric_list', 'repeats']))
})

test('the schema contains everything that it refers to', () => {
  const text = JSON.stringify(schema)
  for (const [, name] of text.matchAll(/"\$ref":"#\/definitions\/(\w+)"/g))
    expect((schema as unknown as { definitions: object }).definitions).toHaveProperty(name ?? '')
})
