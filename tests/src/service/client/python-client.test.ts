import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../support/cli.js'
import { pythonClient } from '../../../support/python-client.js'

test('the Python client is what the OpenAPI document makes of it (npm run python-client -- --write)', async () => {
  expect(await readFile(join(root, 'clients/python/pipeline_client.py'), 'utf8')).toBe(await pythonClient())
})
