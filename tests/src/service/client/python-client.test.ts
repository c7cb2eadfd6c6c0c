import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../support/cli.js'
import { pythonClient } from '../../../support/python-client.js'

test('the Python client equals the one generated from the OpenAPI document (npm run python-client -- --write)', async () => {
  expect(await readFile(join(root, 'clients/python/pipeline_client.py'), 'utf8')).toBe(await pythonClient())
})
