import { sumDurations } from '../../../cache/facts/known-duration.js'
import type { Run } from '../../../cache/records.js'
import type { Sample } from '../../../cache/store.js'
import { type SampleTest, sampleTest } from '../../reading/samples/sample-tests.js'
import { isUnjudged } from '../../reading/samples/unjudged-docs.js'
import { docTexts } from './doc-texts.js'
import type { GateResult } from '../../reading/gates/check-gates.js'
import { reportedName, type ReportedRun } from './reported-run.js'

/**
 * Writes a run as JUnit XML, with a test suite for each task and a test case for each doc.
 *
 * Docs are read twice and not held in memory, because the counts of a suite precede its test cases. For a run in progress, the counts are those of
 * the first pass.
 */
export async function* junitReport(reported: ReportedRun): AsyncGenerator<string> {
  const { run, store, judgement, assessment } = reported
  const gates = assessment?.gates ?? []
  const isWrong = await sampleTest(store, { run, ...(judgement && { judgement }) }, 'wrong')
  const sums = run.asked.tasks.map(noTests)
  for await (const sample of store.judgements.samples(run, judgement))
    add(sums[sample.task], sample, whyNotPassed(sample, isWrong))
  const totalSums = sums.reduce(addSums, gateSums(gates))
  yield '<?xml version="1.0" encoding="UTF-8"?>\n'
  yield `<testsuites${xmlAttributes({ name: reportedName(reported), ...figures(totalSums) })}>\n`
  let next = 0
  for await (const sample of store.judgements.samples(run, judgement)) {
    while (next <= sample.task) yield* openSuite(next++)
    yield testCase(run, sample, isWrong)
  }
  while (next < run.asked.tasks.length) yield* openSuite(next++)
  if (next > 0) yield '  </testsuite>\n'
  yield* gateSuite(gates)
  yield '</testsuites>\n'

  function* openSuite(task: number): Generator<string> {
    if (task > 0) yield '  </testsuite>\n'
    const name = run.asked.tasks[task]?.name ?? ''
    yield `  <testsuite${xmlAttributes({ name, ...figures(sums[task] ?? noTests()) })}>\n`
  }
}

interface Sums {
  tests: number
  failures: number
  errors: number
  skipped: number
  ms: number
}

const noTests = (): Sums => ({ tests: 0, failures: 0, errors: 0, skipped: 0, ms: 0 })

const addSums = (a: Sums, b: Sums): Sums => ({
  tests: a.tests + b.tests,
  failures: a.failures + b.failures,
  errors: a.errors + b.errors,
  skipped: a.skipped + b.skipped,
  ms: a.ms + b.ms,
})

function add(sums: Sums | undefined, sample: Sample, outcome: Outcome | undefined): void {
  if (sums === undefined) return
  sums.tests += 1
  if (outcome?.element === 'failure') sums.failures += 1
  if (outcome?.element === 'error') sums.errors += 1
  if (outcome?.element === 'skipped') sums.skipped += 1
  sums.ms += sumDurations(sample.items) ?? 0
}

const figures = ({ ms, ...counts }: Sums): Record<string, string | number> => ({ ...counts, time: seconds(ms) })

/** The time that the model took for all answers of a doc: 0 without any, and undefined if it is known of none, as in a batch. */
const measureDoc = ({ items }: Sample): number | undefined =>
  items.every(({ response }) => response === undefined) ? 0 : sumDurations(items)

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

interface Outcome {
  readonly element: 'failure' | 'error' | 'skipped'
  /** The kind of failure or error. A skipped test has none. */
  readonly type?: string
  readonly message: string
}

/** Returns the reason why a doc did not pass. `wrong` means the same as in `report --samples wrong`. An unparsed answer fails, too. */
function whyNotPassed(sample: Sample, isWrong: SampleTest): Outcome | undefined {
  const { items, score } = sample
  const failure = items.find(item => item.failure !== undefined)?.failure
  if (failure !== undefined) return { element: 'error', type: failure.class, message: failure.message }
  if (score === undefined) {
    const isAnswered = items.every(({ response }) => response !== undefined)
    return { element: 'skipped', message: isAnswered ? 'not judged yet' : 'not answered yet' }
  }
  if (isUnjudged(score)) return { element: 'error', type: score.outcome, message: score.reason ?? '' }
  if (score.outcome === 'unparsed')
    return { element: 'failure', type: 'unparsed', message: score.reason ?? 'the answer could not be read' }
  if (!isWrong(sample)) return undefined
  const [metric = '', value = null] = Object.entries(score.values)[0] ?? []
  return { element: 'failure', type: 'wrong', message: `${metric} ${JSON.stringify(value)}` }
}

const gateSums = (gates: readonly GateResult[]): Sums => ({
  ...noTests(),
  tests: gates.length,
  failures: gates.filter(({ passed }) => !passed).length,
})

/** Writes the gates as a separate test suite. */
function* gateSuite(gates: readonly GateResult[]): Generator<string> {
  if (gates.length === 0) return
  yield `  <testsuite${xmlAttributes({ name: 'gates', ...figures(gateSums(gates)) })}>\n`
  for (const { gate, task, metric, passed, reason } of gates) {
    const subject = task === undefined || metric === undefined ? '' : ` (${task}.${metric})`
    yield `    <testcase${xmlAttributes({ classname: 'gates', name: `${gate}${subject}`, time: seconds(0) })}>\n`
    if (!passed) yield `      <failure${xmlAttributes({ message: reason, type: 'gate' })}/>\n`
    yield '    </testcase>\n'
  }
  yield '  </testsuite>\n'
}

function testCase(run: Run, sample: Sample, isWrong: SampleTest): string {
  const { task, index, id, score } = sample
  const ms = measureDoc(sample)
  const time = ms === undefined ? {} : { time: seconds(ms) }
  const about = { classname: run.asked.tasks[task]?.name ?? '', name: id, ...time }
  const numbers = Object.entries(score?.values ?? {}).flatMap(([name, value]) =>
    typeof value === 'number' ? [[name, value] as const] : [],
  )
  const properties = [['doc_index', index] as const, ...numbers].map(
    ([name, value]) => `<property${xmlAttributes({ name, value })}/>`,
  )
  const { element, type, message = '' } = whyNotPassed(sample, isWrong) ?? {}
  const outcome =
    element === undefined
      ? ''
      : `      <${element}${xmlAttributes({ message, ...(type !== undefined && { type }) })}/>\n`
  return [
    `    <testcase${xmlAttributes(about)}>\n`,
    `      <properties>${properties.join('')}</properties>\n`,
    outcome,
    `      <system-out>${xmlText(docTexts(sample))}</system-out>\n`,
    '    </testcase>\n',
  ].join('')
}

/** XML 1.0 can't contain these characters, not even as references. */
const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const reference = (character: string): string =>
  names[character] ?? `&#x${(character.codePointAt(0) ?? 0).toString(16)};`

/** Escapes a text as XML content. Forbidden characters are removed. Characters that act on a terminal or that parsers normalise become references. */
const xmlText = (text: string): string =>
  text.replace(forbidden, '').replace(/[&<>"\r\u007f-\u009f\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, reference)

type Attribute = string | number

/** Attributes with a space before each. A parser would read line breaks and tabs in them as spaces. */
const xmlAttributes = (attributes: Readonly<Record<string, Attribute>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${xmlText(String(value)).replace(/[\t\n]/g, reference)}"`)
    .join('')
