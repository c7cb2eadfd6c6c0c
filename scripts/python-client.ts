/**
 * Makes the Python client from the OpenAPI document of the service and scripts/python-client-template.py.
 *
 *     npm run python-client             says whether clients/python/pipeline_client.py is up to date
 *     npm run python-client -- --write  writes it
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { pythonClient } from '../tests/support/python-client.js'

const file = fileURLToPath(new URL('../clients/python/pipeline_client.py', import.meta.url))
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } })
const made = await pythonClient()
if (values.write) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, made)
} else if (readFileSync(file, 'utf8') !== made) {
  console.log('clients/python/pipeline_client.py is out of date: npm run python-client -- --write')
  process.exitCode = 1
}
