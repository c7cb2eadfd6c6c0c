/**
 * Writes the table of all measured tasks of lmms-eval and lm-evaluation-harness (docs/compat.md).
 *
 *     npm run compat-table -- FILE.md
 */
import { writeFileSync } from 'node:fs'
import { countCompatResults, makeCompatTable, readCompatResults } from '../tests/support/compat-results.js'

const [path] = process.argv.slice(2)
const results = readCompatResults()
for (const name of ['lmms-eval', 'lm-eval'] as const)
  for (const column of ['functions', 'evaluation'] as const) {
    const counts = [...countCompatResults(results, name, column)].map(([result, count]) => `${result} ${String(count)}`)
    if (counts.length > 0) console.log(`${name}, ${column}: ${counts.join(', ')}`)
  }
if (path === undefined) console.log('Name a file to write the table: npm run compat-table -- FILE.md')
else writeFileSync(path, makeCompatTable(results))
