/** Reads promptfoo's tests from CSV: a column for each variable, and conditions in the columns `__expected…`. */
import { readFile } from 'node:fs/promises'
import { shownPath } from '../../../base/files/shown-path.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import { splitValues } from './promptfoo-values.js'
import type { Source } from './promptfoo-source.js'

/** Reads the rows of a file as tests, in the form that they have in YAML. */
export async function readCsvTests(file: string): Promise<Source> {
  const text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '')
  const [head, ...rows] = parseCsv(text)
  const names = head?.cells.map(name => name.trim()) ?? []
  return {
    values: rows.map(({ cells }) => makeTest(names.map((name, at) => [name, cells[at] ?? ''] as const))),
    file,
    at: ([index]) => `${shownPath(file)}:${(index === undefined ? head : rows[Number(index)])?.line ?? 1}`,
  }
}

interface CsvRow {
  readonly cells: readonly string[]
  /** The line on which it begins, from 1. */
  readonly line: number
}

/** Parses CSV as in RFC 4180. Rows without any text are left out. */
function parseCsv(text: string): readonly CsvRow[] {
  const rows: CsvRow[] = []
  let [cells, line, begun]: [string[], number, number] = [[], 1, 1]
  const end = (): void => {
    if (cells.some(cell => cell !== '')) rows.push({ cells, line: begun })
    cells = []
    begun = line
  }
  for (const [whole, quoted, plain, mark] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n][^,\r\n]*)?)(,|\r?\n|\r|$)/g,
  )) {
    cells.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'))
    line += (whole.match(/\n/g) ?? []).length
    if (mark !== ',') end()
  }
  return rows
}

function makeTest(row: readonly (readonly [name: string, value: string])[]): JsonObject {
  const vars: Record<string, Json> = {}
  const test: Record<string, Json> = {}
  const options: Record<string, Json> = {}
  const asserts: Json[] = []
  for (const [name, value] of row) {
    if (name.startsWith('__expected')) {
      if (value.trim() !== '') asserts.push(parseAssertion(value))
    } else if (name === '__description') {
      if (value !== '') test['description'] = value
    } else if (name === '__threshold') {
      if (Number.parseFloat(value)) test['threshold'] = Number.parseFloat(value)
    } else if (name === '__prefix' || name === '__suffix') {
      if (value !== '') options[name.slice(2)] = value
    } else if (name.startsWith('__')) {
      if (value !== '' && name !== '__metric' && !name.startsWith('__metadata:')) options[name] = value
    } else if (name !== '') vars[name] = value
  }
  return { ...test, vars, assert: asserts, ...(Object.keys(options).length > 0 && { options }) }
}

/** The types that promptfoo knows in `type: value`. A text that begins with another word is the wanted answer. */
const types = [
  ...['answer-relevance', 'bleu', 'classifier', 'contains', 'contains-all', 'contains-any', 'contains-html'],
  ...['contains-json', 'contains-sql', 'contains-xml', 'context-faithfulness', 'context-recall', 'context-relevance'],
  ...['conversation-relevance', 'cost', 'equals', 'factuality', 'finish-reason', 'g-eval', 'gleu', 'guardrails'],
  ...['icontains', 'icontains-all', 'icontains-any', 'is-html', 'is-json', 'is-refusal', 'is-sql', 'is-xml'],
  ...['is-valid-function-call', 'is-valid-openai-function-call', 'is-valid-openai-tools-call', 'javascript', 'latency'],
  ...['levenshtein', 'llm-rubric', 'meteor', 'model-graded-closedqa', 'model-graded-factuality', 'moderation'],
  ...['perplexity', 'perplexity-score', 'pi', 'python', 'regex', 'rouge-n', 'ruby', 'search-rubric', 'similar'],
  ...['starts-with', 'tool-call-f1', 'trace-error-spans', 'trace-span-count', 'trace-span-duration', 'webhook'],
  'word-count',
]
const assertion = new RegExp(`^(not-)?(${types.join('|')})(?:\\((\\d+(?:\\.\\d+)?)\\))?(?::([^]*))?$`)

/** Reads a condition such as `contains: Paris`, `latency(500)` or `javascript: output.length > 3`. */
function parseAssertion(expected: string): JsonObject {
  const [, legacy, code = ''] = /^(javascript|fn|eval|python|grade):([^]*)$/.exec(expected) ?? []
  if (legacy === 'grade') return { type: 'llm-rubric', value: code }
  if (legacy !== undefined) return { type: legacy === 'python' ? 'python' : 'javascript', value: code.trim() }
  const [whole, not = '', type = '', threshold, value] = assertion.exec(expected) ?? []
  if (whole === undefined) return { type: 'equals', value: expected }
  const isList = /^i?contains-(any|all)$/.test(type)
  return {
    type: `${not}${type}`,
    ...(value !== undefined && value !== '' && { value: isList ? [...splitValues(value)] : value }),
    ...(threshold !== undefined && { threshold: Number(threshold) }),
  }
}
