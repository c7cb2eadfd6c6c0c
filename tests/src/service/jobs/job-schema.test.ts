import { expect, test } from 'vitest'
import { parseJobRequest, requestJsonSchema } from '../../../../src/service/jobs/job-request.js'
import { refusedKeys } from '../../../../src/service/policy/refused-keys.js'

test('the schema for clients leaves out keys that every job is refused with', () => {
  const keys = Object.keys(requestJsonSchema()['properties'] as object)
  expect(keys).toContain('limit')
  expect(keys.filter(key => Object.hasOwn(refusedKeys, key))).toEqual([])
})

test('a refused key still parses, so that its own reason can be given', () => {
  const body = { model: 'dummy', tasks: 'mytask', allow_network: true }
  expect(parseJobRequest(body).evaluation).toEqual(body)
})
