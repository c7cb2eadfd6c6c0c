// Sums up the steps of .ci/run: tests that passed, failed and were skipped. A step that failed without a failing test counts as one.
// Each failure stands whole at the end, since the end is what is kept of a long output.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Of one failure's text: the assertion and the places that it came from, and no log of a whole process. */
const shownOfFailure = 3_000

const folder = process.argv[2] ?? '.'
const steps = readdirSync(folder)
  .filter(file => file.endsWith('.status'))
  .map(file => file.slice(0, -'.status'.length))
const total = { passed: 0, failed: 0 }
const skipped = []
const failures = []

for (const step of steps) {
  const files = filesOf(join(folder, `${step}.json`))
  const tests = files.flatMap(({ name, assertionResults }) => assertionResults.map(test => ({ ...test, file: name })))
  const failed = tests.filter(({ status }) => status === 'failed')
  const isFailed = readFileSync(join(folder, `${step}.status`), 'utf8').trim() !== '0'
  if (isFailed) failures.push(`step: ${step}`)
  failures.push(
    ...failed.map(({ file, fullName, failureMessages }) => told(file, fullName, failureMessages.join('\n'))),
  )
  // A file that could not be loaded, or whose set-up failed, has a message of its own.
  failures.push(
    ...files.filter(({ message }) => message !== '').map(({ name, message }) => told(name, 'the file', message)),
  )
  total.passed += tests.filter(({ status }) => status === 'passed').length
  total.failed += isFailed ? Math.max(failed.length, 1) : failed.length
  skipped.push(
    ...tests.filter(({ status }) => status !== 'passed' && status !== 'failed').map(({ fullName }) => fullName),
  )
}

if (skipped.length > 0) console.log(`${skipped.length} skipped:\n${indented(skipped.join('\n'))}`)
if (failures.length > 0) console.log(`failed:\n${indented(failures.join('\n'))}`)
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed > 0 ? 1 : 0

function filesOf(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).testResults : []
}

function told(file, name, message) {
  const own = message.replaceAll(/\n +at .*(?:\/node_modules\/|<anonymous>).*/gu, '')
  const text = own.length > shownOfFailure ? `${own.slice(0, shownOfFailure)} …` : own
  return `${relative('.', file)}: ${name}\n${indented(text)}`
}

function indented(text) {
  return text.replaceAll(/^(?=.)/gmu, '  ')
}
