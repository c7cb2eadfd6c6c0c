// Sums up the steps of .ci/run: tests that passed, failed and were skipped. A step that failed without a failing test counts as one.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2] ?? '.'
const steps = readdirSync(folder)
  .filter(file => file.endsWith('.status'))
  .map(file => file.slice(0, -'.status'.length))
const total = { passed: 0, failed: 0 }
const skipped = []

for (const step of steps) {
  const tests = testsOf(join(folder, `${step}.json`))
  const failed = tests.filter(({ status }) => status === 'failed').length
  const isFailed = readFileSync(join(folder, `${step}.status`), 'utf8').trim() !== '0'
  if (isFailed) console.log(`failed: ${step}`)
  total.passed += tests.filter(({ status }) => status === 'passed').length
  total.failed += isFailed ? Math.max(failed, 1) : failed
  skipped.push(
    ...tests.filter(({ status }) => status !== 'passed' && status !== 'failed').map(({ fullName }) => fullName),
  )
}

if (skipped.length > 0) console.log(`${skipped.length} skipped:\n${skipped.map(name => `  ${name}`).join('\n')}`)
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed > 0 ? 1 : 0

function testsOf(file) {
  if (!existsSync(file)) return []
  return JSON.parse(readFileSync(file, 'utf8')).testResults.flatMap(({ assertionResults }) => assertionResults)
}
