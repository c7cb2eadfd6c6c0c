/**
 * Keeps stages/model/code-revisions.json, the table of file contents that give the same answers (docs/decisions/code-in-keys.md).
 *
 *     npm run code-revisions             says which declared files the table does not list
 *     npm run code-revisions -- --add    adds them to the current revision, where the golden corpus holds
 *     npm run code-revisions -- --record adds new cases to the golden corpus (tests/golden/backends)
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { format, resolveConfig } from 'prettier'
import { revisionsPath } from '../cache/code/code-revisions.js'
import { revisedCodes, tableIn, unlistedFiles, withCurrent } from '../tests/support/built-in-code.js'
import { changedCases, isRecorded, record } from '../tests/support/corpus/record.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = `${root}${revisionsPath}`
/** Of those that changed, as many are named. */
const shownCases = 20
const { values } = parseArgs({ options: { add: { type: 'boolean' }, record: { type: 'boolean' } } })

const table = existsSync(file) ? tableIn(readFileSync(file, 'utf8')) : {}
const codes = await revisedCodes()
const unknown = unlistedFiles(codes, table)
if (values.record === true) await recordAll()
if (unknown.length === 0) console.log('The table lists all declared files.')
else if (values.add === true) await add()
else {
  console.log(`Not listed for the current revision:\n${unknown.map(line => `  ${line}`).join('\n')}`)
  console.log('Add them with --add where no answer can change. Otherwise raise the number of the revision first.')
  process.exitCode = 1
}

/** Adds what is not listed, where the golden corpus holds. A raised revision has its cases recorded first. */
async function add(): Promise<void> {
  const touched = codes.filter(code => unlistedFiles([code], table).length > 0)
  for (const { revision } of touched) {
    const { name, number } = revision
    const isRaised = !isRecorded(revision)
    console.log(`${name} ${number}: ${isRaised ? 'recording' : 'checking'} the golden corpus`)
    if (refuse(name, isRaised ? await record(revision) : await changedCases(name))) return
  }
  const options = await resolveConfig(file)
  writeFileSync(file, await format(JSON.stringify(withCurrent(table, codes)), { ...options, parser: 'json' }))
  console.log(`Added to ${revisionsPath}:\n${unknown.map(line => `  ${line}`).join('\n')}`)
}

/** Adds new cases to the corpus of each family. */
async function recordAll(): Promise<void> {
  for (const { revision } of codes) {
    console.log(`${revision.name} ${revision.number}: recording the golden corpus`)
    if (refuse(revision.name, await record(revision))) return
  }
}

/** @returns whether there are cases that send or read something else at the same revision. */
function refuse(name: string, changed: readonly string[]): boolean {
  if (changed.length === 0) return false
  console.error(`${changed.length} cases of ${name} send or read something else now:`)
  console.error(
    changed
      .slice(0, shownCases)
      .map(line => `  ${line}`)
      .join('\n'),
  )
  console.error(`If that is meant, raise the number of the revision "${name}" beside its definition, and try again.`)
  process.exitCode = 1
  return true
}
