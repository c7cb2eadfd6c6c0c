/**
 * Writes the tables of flags in docs/cli.md.
 *
 *     npm run cli-docs             says which rows are not what the commands have
 *     npm run cli-docs -- --write  writes them
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { flagTables } from '../tests/support/cli-docs.js'

const file = fileURLToPath(new URL('../docs/cli.md', import.meta.url))
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } })

const before = readFileSync(file, 'utf8')
const after = await flagTables(before)
if (values.write) writeFileSync(file, after)
else if (after !== before) {
  const known = new Set(before.split('\n'))
  console.log(
    after
      .split('\n')
      .filter(line => !known.has(line))
      .join('\n'),
  )
  process.exitCode = 1
}
