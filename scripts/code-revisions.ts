/** Keeps stages/model/code-revisions.json, the table of file contents that give the same answers (docs/decisions/code-in-keys.md). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { format, resolveConfig } from 'prettier'
import { revisionsPath, type CodeRevisions } from '../cache/code/code-revisions.js'
import {
  contentsIn,
  revisedCodes,
  tableIn,
  unlistedFiles,
  withCurrent,
  withoutBetween,
} from '../tests/support/built-in-code.js'
import { changedCases, isRecorded, record } from '../tests/support/corpus/record.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = `${root}${revisionsPath}`
/** Maximum number of changed cases to name. */
const shownCases = 20
const help = `Keeps ${revisionsPath}, the table of file contents that give the same answers.

  npm run code-revisions               lists declared files whose contents the table lacks
  npm run code-revisions -- --add      adds these contents to the current revision, if the golden corpus holds
  npm run code-revisions -- --record   adds new cases to the golden corpus (tests/golden/backends)
  npm run code-revisions -- --prune    drops what is neither the first, the last nor the present content of a file. A build
                                       looks up its own files in its own table, so no answer is asked for again. If a
                                       dropped content comes back, --add checks the golden corpus once more.
`
const { values } = parseArgs({
  options: {
    add: { type: 'boolean' },
    record: { type: 'boolean' },
    prune: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help === true) {
  console.log(help)
  process.exit()
}

const table = existsSync(file) ? tableIn(readFileSync(file, 'utf8')) : {}
const codes = await revisedCodes()
const unknown = unlistedFiles(codes, table)
if (values.record === true) await recordAll()
if (unknown.length === 0) await (values.prune === true ? prune() : console.log('The table lists all declared files.'))
else if (values.add === true) await add()
else {
  console.log(`Not listed for the current revision:\n${unknown.map(line => `  ${line}`).join('\n')}`)
  console.log('Add them with --add where no answer can change. Otherwise raise the number of the revision first.')
  process.exitCode = 1
}

/** Adds unlisted contents if the golden corpus passes. For a raised revision, the cases are recorded first. */
async function add(): Promise<void> {
  const touched = codes.filter(code => unlistedFiles([code], table).length > 0)
  for (const { revision } of touched) {
    const { name, number } = revision
    const isRaised = !isRecorded(revision)
    console.log(`${name} ${number}: ${isRaised ? 'recording' : 'checking'} the golden corpus`)
    if (refuse(name, isRaised ? await record(revision) : await changedCases(name))) return
  }
  await write(withCurrent(table, codes))
  console.log(`Added to ${revisionsPath}:\n${unknown.map(line => `  ${line}`).join('\n')}`)
}

async function prune(): Promise<void> {
  const kept = withoutBetween(table, codes)
  const dropped = contentsIn(table) - contentsIn(kept)
  if (dropped > 0) await write(kept)
  console.log(`Dropped ${dropped} of ${contentsIn(table)} contents from ${revisionsPath}.`)
}

async function write(changed: CodeRevisions): Promise<void> {
  const options = await resolveConfig(file)
  writeFileSync(file, await format(JSON.stringify(changed), { ...options, parser: 'json' }))
}

/** Adds new cases to the corpus of each family. */
async function recordAll(): Promise<void> {
  for (const { revision } of codes) {
    console.log(`${revision.name} ${revision.number}: recording the golden corpus`)
    if (refuse(revision.name, await record(revision))) return
  }
}

/** @returns whether cases differ at the same revision */
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
