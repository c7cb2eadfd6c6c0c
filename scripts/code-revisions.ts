/**
 * Keeps stages/model/code-revisions.json, the table of file contents that give the same answers (docs/decisions/code-in-keys.md).
 *
 *     npm run code-revisions             says which declared files the table does not list
 *     npm run code-revisions -- --add    adds them to the current revision
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { format, resolveConfig } from 'prettier'
import { revisionsPath, type CodeRevisions } from '../cache/code/code-revisions.js'
import { revisedCodes, unlistedFiles, withCurrent } from '../tests/support/built-in-code.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = `${root}${revisionsPath}`
const { values } = parseArgs({ options: { add: { type: 'boolean', default: false } } })

const table = readTable()
const codes = await revisedCodes()
const unknown = unlistedFiles(codes, table)
if (unknown.length === 0) console.log('The table lists all declared files.')
else if (values.add) await add()
else {
  console.log(`Not listed for the current revision:\n${unknown.map(line => `  ${line}`).join('\n')}`)
  console.log('Add them with --add where no answer can change. Otherwise raise the number of the revision.')
  process.exitCode = 1
}

async function add(): Promise<void> {
  const options = await resolveConfig(file)
  const text = JSON.stringify(withCurrent(table, codes))
  writeFileSync(file, await format(text, { ...options, parser: 'json' }))
  console.log(`Added to ${revisionsPath}:\n${unknown.map(line => `  ${line}`).join('\n')}`)
}

/** A rebase may leave both sides of a conflict in the table. Either is a good base, since the current contents are added to it. */
function readTable(): CodeRevisions {
  if (!existsSync(file)) return {}
  const text = readFileSync(file, 'utf8').replace(/^<{7}.*\n([^]*?)(?:^\|{7}[^]*?)?^={7}\n[^]*?^>{7}.*\n/gm, '$1')
  return JSON.parse(text) as CodeRevisions
}
