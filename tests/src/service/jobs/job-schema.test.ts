import { expect, test } from 'vitest'
import { parseJobRequest, requestJsonSchema } from '../../../../src/service/jobs/job-request.js'
import { refusedKeys } from '../../../../src/service/policy/refused-keys.js'

test('the schema for clients omits keys that are always rejected', () => {
  const keys = Object.keys(requestJsonSchema()['properties'] as object)
  expect(keys).toContain('limit')
  expect(keys.filter(key => Object.hasOwn(refusedKeys, key))).toEqual([])
})

test('parses a rejected key, so that its own reason can be returned', () => {
  const body = { model: 'dummy', tasks: 'mytask', allow_network: true }
  expect(parseJobRequest(body).evaluation).toEqual(body)
})
