/**
 * Writes the lists of flags in docs/cli/.
 *
 *     npm run cli-docs             says which lines are not what the commands have
 *     npm run cli-docs -- --write  writes them
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { allCommands, readCliPages, updatedCliPage } from '../tests/support/cli-docs.js'

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } })
const commands = await allCommands()

for (const [name, before] of readCliPages()) {
  const after = updatedCliPage(before, commands)
  if (after === before) continue
  if (values.write) {
    writeFileSync(fileURLToPath(new URL(`../docs/cli/${name}`, import.meta.url)), after)
    continue
  }
  const known = new Set(before.split('\n'))
  const changed = after.split('\n').filter(line => !known.has(line))
  console.log([`docs/cli/${name}`, ...changed].join('\n'))
  process.exitCode = 1
}
